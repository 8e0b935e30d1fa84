// `offshoot __complete`: what can stand at the end of a half-typed command line, one candidate a line, its meaning behind a
// tab. Reads the commands from the program itself, so that nothing has to be kept in step.
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { findSetting, settings } from '../../config/settings.ts'
import { cleanLine } from '../../lib/text/clean.ts'
import { AppError } from '../../model/error.ts'
import { sessionAddress } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { filterWords } from '../filter-words.ts'
import { queryOf } from '../scope.ts'
import { shortIds } from '../short-id.ts'

type Candidate = readonly [value: string, about: string]

const manySessions = 100
const turnOptions = ['--at', '--before', '--code-at']

export async function printCandidates(context: Context, program: CommandUnknownOpts, words: readonly string[]): Promise<void> {
  const current = words.at(-1) ?? ''
  for (const [value, about] of await findCandidates(context, program, words.slice(0, -1), current)) {
    if (value.startsWith(current)) await context.out.line(`${value}\t${cleanLine(about).slice(0, 80)}`)
  }
}

async function findCandidates(
  context: Context,
  program: CommandUnknownOpts,
  before: readonly string[],
  current: string,
): Promise<Candidate[]> {
  const { command, given, waiting } = walk(program, before)
  if (waiting !== undefined) return valuesOf(context, waiting, given[0])
  if (current.startsWith('-')) return optionsOf(command)
  const commands = command.commands.filter((one) => !one.name().startsWith('__'))
  if (commands.length > 0) return given.length > 0 ? [] : commands.map((one) => [one.name(), one.description()])
  const argument = command.registeredArguments[given.length] ?? lastIfMany(command)
  if (argument === undefined) return []
  if (argument.argChoices !== undefined) return argument.argChoices.map((choice) => [choice, ''])
  switch (argument.name()) {
    case 'address':
    case 'session':
      return addresses(context, current)
    case 'worker':
      return workers(context)
    case 'other':
      return [...(await addresses(context, current)), ['now', 'the present work tree']]
    case 'fork':
      return undoable(context)
    case 'token':
      return (await import('../../server/tokens/token-file.ts'))
        .readTokens(context.paths.root)
        .map(({ name, scope }) => [name, scope])
    case 'paths':
      return capturedPaths(context, given[0] ?? '')
    case 'key':
      return settings.map(({ key, description }) => [key, description])
    case 'value':
      return settingChoices(given[0] ?? '').map((choice) => [choice, ''])
    case 'intent':
      return filterWords(current)
    default:
      return []
  }
}

async function valuesOf(
  context: Context,
  { argChoices, long }: CommandUnknownOpts['options'][number],
  session: string | undefined,
): Promise<Candidate[]> {
  if (argChoices !== undefined) return argChoices.map((choice) => [choice, ''])
  if (long === '--choose') return optionsAsked(context, session)
  if (session === undefined || !turnOptions.includes(long ?? '')) return []
  const turns = await turnAddresses(context, session)
  return turns.map(([address, prompt]) => [address.slice(session.length + 1), prompt])
}

/** What the questions of a worker can be answered with. */
async function optionsAsked(context: Context, worker: string | undefined): Promise<Candidate[]> {
  if (worker === undefined) return []
  const { permission } = await (await context.app()).findWorker(worker)
  const options = (permission?.questions ?? []).flatMap((question) => question.options)
  return options.map(({ label, description }) => [label, description ?? ''])
}

async function workers(context: Context): Promise<Candidate[]> {
  const running = await (await context.app()).listWorkers()
  return running.map(({ name, agent, state, cwd }) => [name, `${agent}, ${state}, ${cwd}`])
}

/** Forks, sessions that were started, restores: whatever `undo` takes back. */
async function undoable(context: Context): Promise<Candidate[]> {
  const app = await context.app()
  const [forks, starts, restores] = await Promise.all([app.listForks(), app.listStarts(), app.listRestores()])
  return [
    ...forks.filter(({ state }) => state === 'made').map(({ fork }): Candidate => [fork.id, fork.title]),
    ...starts.filter(({ state }) => state === 'made').map(({ start }): Candidate => [start.id, start.title]),
    ...restores.filter(({ state }) => state === 'restored').map(({ id, source }): Candidate => [id, `restore of ${source}`]),
  ]
}

/** Files the session's captured turns changed. */
async function capturedPaths(context: Context, address: string): Promise<Candidate[]> {
  const app = await context.app()
  try {
    const { session } = await app.resolve(address)
    const turns = await app.listTurns(session)
    return [...new Set(turns.flatMap(({ snapshot }) => snapshot?.files ?? []))].sort().map((path) => [path, ''])
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

function lastIfMany({ registeredArguments }: CommandUnknownOpts) {
  const last = registeredArguments.at(-1)
  return last?.variadic === true ? last : undefined
}

/** Which command the words name, which arguments it has already, and whether an option waits for its value. */
function walk(program: CommandUnknownOpts, words: readonly string[]) {
  let command = program
  let given: string[] = []
  let waiting: CommandUnknownOpts['options'][number] | undefined
  for (const word of words) {
    if (waiting !== undefined) {
      waiting = undefined
    } else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => word === long || word === short)
      if (option?.required === true) waiting = option
    } else {
      const next =
        given.length > 0 ? undefined : command.commands.find((one) => one.name() === word || one.aliases().includes(word))
      if (next === undefined) given.push(word)
      else [command, given] = [next, []]
    }
  }
  return { command, given, waiting }
}

function optionsOf(command: CommandUnknownOpts): Candidate[] {
  return [...command.options.map(({ long, description }): Candidate => [long ?? '', description]), ['--help', 'print help']]
}

function settingChoices(key: string): readonly string[] {
  const setting = findSetting(key)
  if (setting?.type === 'choice') return setting.choices
  return setting?.type === 'boolean' ? ['true', 'false'] : []
}

async function addresses(context: Context, current: string): Promise<Candidate[]> {
  const app = await context.app()
  const at = current.lastIndexOf('@')
  if (at > 0) return turnAddresses(context, current.slice(0, at))
  if (current.startsWith('worker:')) return (await workers(context)).map(([name, about]) => [`worker:${name}`, about])
  const sessions = await app.listSessions({ ...(await queryOf(context, {})), limit: manySessions })
  const ids = shortIds(sessions)
  const newest: Candidate[] = sessions.length === 0 ? [] : [['last', 'the newest session']]
  return [...newest, ...sessions.map((session): Candidate => [ids.get(session) ?? sessionAddress(session), session.title])]
}

/** A half-typed address that names nothing has no candidates; that is no error while somebody is typing. */
async function turnAddresses(context: Context, session: string): Promise<Candidate[]> {
  const app = await context.app()
  try {
    const target = await app.resolve(session)
    const turns = await app.listTurns(target.session)
    return turns.map(({ number, id, prompt }) => [`${session}@${number ?? id}`, prompt])
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}
