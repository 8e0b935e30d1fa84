// `offshoot service`: the server as something the system starts and keeps. Prints what it did.
import { realpathSync } from 'node:fs'
import { cleanLine } from '../../lib/text/clean.ts'
import type { ServiceReport, ServiceStatus } from '../../services/service.ts'
import { findStaleness, projectsOf } from '../../services/staleness.ts'
import type { Context } from '../context.ts'
import { projectAt } from '../roots.ts'
import { findProgram, managerOf, specOf } from '../service-spec.ts'

interface Common {
  readonly dryRun?: true | undefined
  readonly json?: true | undefined
}

export async function installService(
  context: Context,
  options: Common & { readonly project?: readonly string[] | undefined },
): Promise<void> {
  await context.setting('index.interval') // the service would not start with a bad one
  const manager = managerOf(context)
  const given = options.project?.map((path) => realpathSync(projectAt(context, path)))
  const { argv } = await manager.status()
  const before = argv === null ? [] : projectsOf(argv)
  const projects = given ?? before
  const report = await manager.install(specOf(context, projects), { dryRun: options.dryRun === true })
  const hints = [...report.hints, ...(await hintsFor(context, projects, given === undefined && before.length > 0))]
  await print(context, { ...report, hints }, options)
}

export async function uninstallService(context: Context, options: Common): Promise<void> {
  await print(context, await managerOf(context).uninstall({ dryRun: options.dryRun === true }), options)
}

export async function showService(context: Context, options: Common): Promise<number> {
  const { out } = context
  const status = await managerOf(context).status()
  const { state, installed, file, manager, argv, pid, lastExit, problem } = status
  const stale = argv === null ? null : findStaleness(argv, findProgram())
  if (options.json === true) {
    await out.json({ service: { ...renderStatus(status), projects: projectsOf(argv ?? []), stale } })
    return exitOf(status)
  }
  const { bold, dim, green, red, yellow } = out.colors
  const paint = { running: green, starting: yellow, stopped: dim, failed: red, unknown: yellow }[state]
  const how = pid !== null ? ` (process ${pid})` : lastExit !== null && lastExit !== 0 ? ` (exit status ${lastExit})` : ''
  await out.line(`${bold(manager)}  ${installed ? paint(state) : 'not installed'}${installed ? how : ''}`)
  await out.line(dim(cleanLine(file)))
  for (const project of projectsOf(argv ?? [])) await out.line(`open  ${cleanLine(project)}`)
  if (problem !== null) out.note(cleanLine(problem))
  if (stale !== null) out.note(`Out of date: ${cleanLine(stale)}. \`offshoot service install\` renews it.`)
  return exitOf(status)
}

export async function showServiceLogs(
  context: Context,
  { lines = 100, json }: { readonly lines?: number | undefined; readonly json?: true | undefined },
) {
  const told = await managerOf(context).logs(lines)
  if (json === true) return void (await context.out.json({ lines: told }))
  for (const line of told) await context.out.line(cleanLine(line))
  if (told.length === 0) context.out.note('It has written nothing yet.')
}

function exitOf({ installed, state }: ServiceStatus): number {
  if (!installed) return 3
  return state === 'failed' ? 1 : 0
}

async function hintsFor(context: Context, projects: readonly string[], kept: boolean): Promise<string[]> {
  const open = await context.setting<readonly string[]>('server.allow_repos')
  const hints = kept ? [`The projects it had stay open: ${projects.join(', ')}.`] : []
  if (projects.length === 0 && open.length === 0) {
    hints.push('No project is open: a service stands nowhere. Install it with --project, or set server.allow_repos.')
  }
  if (/[\\/]_npx[\\/]/.test(findProgram().script)) {
    hints.push('This offshoot lies in the cache of npx and will be gone one day: install it with npm install -g offshoot.')
  }
  return hints
}

async function print({ out }: Context, report: ServiceReport, { dryRun, json }: Common): Promise<void> {
  const { manager, file, text, steps, hints } = report
  if (json === true) return void (await out.json({ service: { manager, file, text, steps, hints, dry_run: dryRun === true } }))
  if (dryRun === true && text !== '') {
    await out.line(out.colors.bold(cleanLine(file)))
    await out.line(text)
  }
  for (const step of steps) await out.line(cleanLine(dryRun === true ? `would: ${step}` : step))
  for (const hint of hints) out.note(cleanLine(hint))
}

function renderStatus({ manager, file, installed, state, pid, lastExit, restarts, argv, problem }: ServiceStatus) {
  return { manager, file, installed, state, pid, last_exit: lastExit, restarts, argv, problem }
}
