// `offshoot gc`: what goes and why, what stays and why, how much space that frees.

import { cleanLine } from '../../lib/text/clean.ts'
import type { Garbage, GcReport } from '../../model/capture.ts'
import { renderGc } from '../../model/render-code.ts'
import type { Context } from '../context.ts'

export interface GcOptions {
  readonly dryRun?: true | undefined
  readonly force?: true | undefined
  readonly all?: true | undefined
  readonly json?: true | undefined
}

const labels: Readonly<Record<Garbage['kind'], string>> = {
  workspace: 'workspace',
  snapshots: 'snapshots',
  private_index: 'index',
  pending: 'notes',
  safety: 'state before',
  trash: 'leftover',
}

export async function collectGarbage(context: Context, options: GcOptions): Promise<void> {
  const app = await context.app()
  const report = await app.gc({ dryRun: options.dryRun === true, force: options.force === true, all: options.all === true })
  if (options.json === true) await context.out.json(renderGc(report))
  else await printReport(context, report)
}

async function printReport({ out }: Context, { removed, kept, freedBytes, dryRun, repository }: GcReport): Promise<void> {
  const { bold, dim, green } = out.colors
  const goes = dryRun ? 'would go' : 'removed'
  const line = (mark: string, { kind, name, reason, bytes, path }: Garbage) => {
    const size = bytes === 0 ? '' : ` ${dim(`(${sizeOf(bytes)})`)}`
    const place = kind === 'workspace' && path !== null ? ` ${dim(cleanLine(path))}` : ''
    return `  ${mark}  ${labels[kind].padEnd(12)}  ${cleanLine(name)}${size}: ${cleanLine(reason)}${place}`
  }
  for (const each of removed) await out.line(line(green(goes.padEnd(8)), each))
  for (const each of kept) await out.line(line(dim('stays'.padEnd(8)), each))
  const cleared = `${removed.length} ${dryRun ? 'would be ' : ''}cleared away, ${sizeOf(freedBytes)} freed.`
  await out.line(bold(removed.length === 0 ? 'Nothing to clear away.' : cleared))
  if (repository !== null) out.note(dim('Only this repository was looked at; `offshoot gc --all` looks at every one.'))
  if (removed.some(({ kind }) => kind === 'snapshots')) {
    out.note(dim("What snapshots held is freed by git itself, with the repository's next `git gc`."))
  }
}

export function sizeOf(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const number = bytes / 1000 ** step
  return `${step === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[step]}`
}
