// `offshoot diff`: the code between two turns or forks, in git's own form, without a pager. What is not covered goes to stderr.

import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import type { DiffResult } from '../../model/capture.ts'
import { AppError } from '../../model/error.ts'
import { renderDiff } from '../../model/render-code.ts'
import { formatStat, paintPatch } from '../code/patch.ts'
import type { Context } from '../context.ts'
import { refreshWithMeter } from '../progress.ts'

export interface DiffOptions {
  readonly stat?: true | undefined
  readonly nameOnly?: true | undefined
  readonly json?: true | undefined
}

export interface Asked {
  readonly address: string
  readonly others: readonly string[]
  readonly paths: readonly string[]
}

export async function showDiff(context: Context, { address, others, paths }: Asked, options: DiffOptions): Promise<void> {
  const [to, ...more] = others
  if (more.length > 0)
    throw new AppError('usage', `Two addresses are enough; ${more[0]} is one too many. Paths follow behind --.`)
  const app = await context.app()
  await refreshWithMeter(context, app)
  const patch = options.stat !== true && options.nameOnly !== true
  const diff = await app.diff({ from: address, ...(to === undefined ? {} : { to }), paths, patch })
  if (options.json === true) await context.out.json(renderDiff(diff))
  else await printDiff(context, diff, options)
}

async function printDiff({ out }: Context, diff: DiffResult, { stat, nameOnly }: DiffOptions): Promise<void> {
  // Programs get the exact bytes: a patch without its control characters, or with colours, would not apply.
  const isExact = !out.isTerminal
  if (nameOnly === true && isExact) for (const { path } of diff.files) await out.write(`${path}\n`)
  else if (nameOnly === true) for (const { path } of diff.files) await out.line(cleanLine(path))
  else if (stat === true) for (const line of formatStat(diff, out.colors, out.columns)) await out.line(line)
  else if (isExact) await (diff.patchBytes === undefined ? out.write(diff.patch) : out.writeBytes(diff.patchBytes))
  else for (const line of linesOf(diff.patch)) await out.line(paintPatch(cleanText(line), out.colors))
  if (diff.shared !== undefined) {
    out.note(`${diff.shared.with.join(', ')} worked in the same folder at the same time; what it alone changed is left out.`)
    for (const path of diff.shared.files) out.note(`nobody can tell which session changed ${cleanLine(path)}`)
  }
  for (const path of diff.leftOut ?? []) out.note(`too large to show: ${cleanLine(path)}`)
  for (const side of [diff.from, diff.to]) {
    for (const { path, reason } of side.notCovered) out.note(`not in ${side.name}: ${cleanLine(path)} (${reason})`)
  }
  if (diff.files.length === 0) out.note('No difference.')
}

function linesOf(patch: string): string[] {
  return patch === '' ? [] : patch.replace(/\n$/, '').split('\n')
}
