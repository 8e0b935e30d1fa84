// `offshoot restore`: shows what would change, asks, and brings the files back. Without a person to ask it needs `--yes`.

import { cleanLine } from '../../lib/text/clean.ts'
import { count } from '../../lib/text/count.ts'
import type { RestorePlan, RestoreRequest, RestoreResult } from '../../model/capture.ts'
import { AppError } from '../../model/error.ts'
import { sessionAddress } from '../../model/render.ts'
import { renderRestore, renderRestorePlan } from '../../model/render-code.ts'
import { formatStat } from '../code/patch.ts'
import type { Context } from '../context.ts'
import { refreshWithMeter, restoreWithMeter } from '../progress.ts'

export interface RestoreOptions {
  readonly all?: true | undefined
  readonly dryRun?: true | undefined
  readonly yes?: true | undefined
  readonly force?: true | undefined
  readonly json?: true | undefined
}

export async function restoreCode(
  context: Context,
  address: string,
  paths: readonly string[],
  options: RestoreOptions,
): Promise<void> {
  const app = await context.app()
  if (options.dryRun !== true) await app.recover() // the plan is made of what it leaves
  await refreshWithMeter(context, app)
  const request: RestoreRequest = { address, ...(paths.length === 0 ? {} : { paths }), all: options.all === true }
  const plan = await app.planRestore(request)
  const json = options.json === true
  if (options.dryRun === true) {
    if (json) await context.out.json({ plan: renderRestorePlan(plan) })
    else await printPlan(context, plan, request)
    return
  }
  if (plan.changes.length === 0) {
    if (json) await context.out.json({ restore: null, plan: renderRestorePlan(plan) })
    else await printPlan(context, plan, request)
    return
  }
  await confirm(context, plan, request, options)
  const force = options.force === true
  const result = await restoreWithMeter(context, (onProgress) => app.restore(plan, { force, onProgress }))
  if (json) await context.out.json({ restore: renderRestore(result), plan: renderRestorePlan(plan) })
  else await printResult(context, plan, result)
}

async function confirm(context: Context, plan: RestorePlan, request: RestoreRequest, options: RestoreOptions): Promise<void> {
  if (options.yes === true) return
  const terminal = options.json === true ? null : context.terminal()
  if (terminal === null) {
    throw new AppError('confirm_needed', `${plan.changes.length} files in ${plan.root} would be changed.`, {
      hint: 'Look at them with --dry-run, then say yes with --yes.',
      details: { plan: renderRestorePlan(plan) },
    })
  }
  await printPlan(context, plan, request)
  await context.out.flush()
  const { askYesNo } = await import('../forking/ask.ts')
  if (!(await askYesNo(terminal, 'Restore?'))) throw new AppError('interrupted', 'Nothing was done.')
}

async function printPlan(context: Context, plan: RestorePlan, { address, paths, all }: RestoreRequest): Promise<void> {
  const { out } = context
  const { bold, dim, yellow } = out.colors
  const { changes, refused, warnings, root } = plan
  if (changes.length === 0) {
    const what = all === true ? 'everything' : paths === undefined ? 'what the session changed since' : 'what you named'
    await out.line(`Nothing to restore: ${what} is as at ${cleanLine(address)} already, in ${cleanLine(root)}.`)
    // After a fork it is the fork, which changed nothing yet.
    if (/\blast\b/.test(address)) {
      const { session } = await (await context.app()).resolve(address)
      out.note(dim(`The last session is ${sessionAddress(session)}: ${cleanLine(session.title)}`))
    }
    if (all !== true && paths === undefined) out.note(dim('--all compares everything, whoever changed it.'))
  } else {
    await out.line(bold(`Restoring ${cleanLine(address)} in ${cleanLine(root)} changes:`))
    const sum = (count: 'added' | 'removed') => changes.reduce((total, file) => total + (file[count] ?? 0), 0)
    const diff = { files: changes, added: sum('added'), removed: sum('removed'), patch: '' }
    for (const line of formatStat(diff, out.colors, out.columns)) await out.line(line)
  }
  for (const { path, reason } of refused) await out.line(`  ${yellow('stays')}  ${cleanLine(path)}: ${cleanLine(reason)}`)
  for (const warning of warnings) await out.line(`  ${yellow('note')}   ${cleanLine(warning)}`)
}

async function printResult({ out }: Context, plan: RestorePlan, { id, restored, refused }: RestoreResult): Promise<void> {
  const { bold, cyan, dim, yellow } = out.colors
  await out.line(`${bold('Restored:')} ${count(restored.length, 'file')} in ${cleanLine(plan.root)}`)
  const gone = new Set(plan.changes.filter(({ status }) => status === 'D').map(({ path }) => path))
  for (const path of restored) await out.line(`  ${dim(gone.has(path) ? 'removed ' : 'restored')}  ${cleanLine(path)}`)
  for (const { path, reason } of refused) await out.line(`  ${yellow('stays   ')}  ${cleanLine(path)}: ${cleanLine(reason)}`)
  await out.line(`  ${dim('undo    ')}  ${cyan(`offshoot undo ${id}`)}`)
}
