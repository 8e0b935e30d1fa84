// Our entries in a settings file of the form both agents use, {"hooks": {"Stop": [{"hooks": [{command}]}]}}: put in behind all
// others, recognised by their command, taken out again so that nothing of ours is left. Pure: text in, text out.
import { addTo, removeFrom, replaceNode } from '../lib/json-edit.ts'
import { type JsonContainer, type JsonNode, memberOf, parseJsonText } from '../lib/json-text.ts'
import { AppError } from '../model/error.ts'
import { type FoundMark, foundMark } from './hook-command.ts'

export interface HookEntry {
  /** As the agent calls it: `Stop`. */
  readonly event: string
  readonly timeoutSeconds: number
}

export interface OurHook {
  readonly event: string
  /** Which group of the event, and which handler of the group: Codex names hooks by these. */
  readonly group: number
  readonly handler: number
  /** No other handler is in its group, so the group goes with it. */
  readonly isAlone: boolean
  readonly command: string
  readonly timeoutSeconds: number | null
  readonly found: FoundMark
}

/** Depths of the containers in the file. */
const depths = { root: 0, hooks: 1, event: 2, handlers: 4 } as const

export function findOurHooks(text: string, file: string): OurHook[] {
  return locate(parseSettings(text, file)).map(({ hook }) => hook)
}

/** Adds what is missing and puts right what is outdated. */
export function installHooks(
  before: string | null,
  file: string,
  entries: readonly HookEntry[],
  commandFor: (found: FoundMark) => string,
): string {
  const isBlank = before !== null && before.trim() === ''
  let text = before === null ? '{}\n' : isBlank ? `${before}{}` : before
  const original = parseSettings(text, file)
  for (const entry of entries) {
    const found = before === null ? 'new' : isBlank ? 'blank' : whatIsThere(original, entry.event, file)
    text = installOne(text, file, entry, found, commandFor)
  }
  return text
}

function installOne(
  text: string,
  file: string,
  { event, timeoutSeconds }: HookEntry,
  found: FoundMark,
  commandFor: (found: FoundMark) => string,
): string {
  const root = parseSettings(text, file)
  const [there] = locate(root).filter(({ hook }) => hook.event === event)
  if (there !== undefined) {
    const command = commandFor(there.hook.found)
    return there.hook.command === command ? text : replaceNode(text, there.commandNode, command)
  }
  const group = { hooks: [{ type: 'command', command: commandFor(found), timeout: timeoutSeconds }] }
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks === undefined) return addTo(text, root, depths.root, { [event]: [group] }, 'hooks')
  const groups = memberOf(hooks, event)?.value
  if (groups === undefined) return addTo(text, mustBe(hooks, 'object', '"hooks"', file), depths.hooks, [group], event)
  return addTo(text, mustBe(groups, 'array', `"hooks.${event}"`, file), depths.event, group)
}

/** `null`: the file was made by install and holds nothing else. */
export function uninstallHooks(before: string, file: string): string | null {
  let text = before
  let last: FoundMark | null = null
  for (;;) {
    const place = locate(parseSettings(text, file)).at(-1)
    if (place === undefined) break
    text = removeOne(text, place)
    last = place.hook.found
  }
  if (last === 'new' && text.trim() === '{}') return null
  return last === 'blank' ? text.replace(/^(\s*)\{\}$/, '$1') : text
}

/** Also what was made to hold it, unless something else is in there by now. */
function removeOne(text: string, { root, hooks, groups, handlers, hook }: Place): string {
  if (handlers.children.length > 1) return removeFrom(text, handlers, depths.handlers, hook.handler)
  if (groups.children.length > 1 || hook.found === 'array') return removeFrom(text, groups, depths.event, hook.group)
  if (hooks.children.length > 1 || hook.found === 'object') return removeFrom(text, hooks, depths.hooks, indexIn(hooks, groups))
  return removeFrom(text, root, depths.root, indexIn(root, hooks))
}

function indexIn(container: JsonContainer, value: JsonNode): number {
  return container.children.findIndex((child) => child === value || (child.kind === 'member' && child.value === value))
}

interface Place {
  readonly hook: OurHook
  readonly commandNode: JsonNode
  readonly root: JsonContainer
  readonly hooks: JsonContainer
  readonly groups: JsonContainer
  readonly handlers: JsonContainer
}

/** In the order they stand in. Whatever has another form is somebody else's. */
function locate(root: JsonContainer): Place[] {
  const places: Place[] = []
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks?.kind !== 'object') return []
  for (const { key: event, value: groups } of hooks.children) {
    if (groups.kind !== 'array') continue
    for (const [at, group] of groups.children.entries()) {
      const handlers = memberOf(group, 'hooks')?.value
      if (group.kind !== 'object' || handlers?.kind !== 'array') continue
      for (const [handler, node] of handlers.children.entries()) {
        const commandNode = memberOf(node, 'command')?.value
        const command = commandNode?.kind === 'scalar' ? commandNode.value : undefined
        const found = typeof command === 'string' ? foundMark(command) : null
        if (commandNode === undefined || typeof command !== 'string' || found === null) continue
        const timeout = memberOf(node, 'timeout')?.value
        const seconds = timeout?.kind === 'scalar' && typeof timeout.value === 'number' ? timeout.value : null
        const isAlone = handlers.children.length === 1
        const hook = { event, group: at, handler, isAlone, command, timeoutSeconds: seconds, found }
        places.push({ hook, commandNode, root, hooks, groups, handlers })
      }
    }
  }
  return places
}

function whatIsThere(root: JsonContainer, event: string, file: string): FoundMark {
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks === undefined) return 'other'
  const groups = memberOf(mustBe(hooks, 'object', '"hooks"', file), event)?.value
  if (groups === undefined) return mustBe(hooks, 'object', '"hooks"', file).children.length === 0 ? 'object' : 'other'
  return mustBe(groups, 'array', `"hooks.${event}"`, file).children.length === 0 ? 'array' : 'other'
}

function parseSettings(text: string, file: string): JsonContainer {
  let root: JsonNode
  try {
    root = parseJsonText(text)
  } catch (error) {
    throw new AppError('bad_config', `${file} is not JSON: ${(error as Error).message}`, {
      hint: 'The agent does not read it either (it takes no comments and no trailing commas). Mend the file, then try again.',
      cause: error,
    })
  }
  return mustBe(root, 'object', 'what it holds', file)
}

function mustBe(node: JsonNode, kind: JsonContainer['kind'], what: string, file: string): JsonContainer {
  if (node.kind === kind) return node
  throw new AppError('bad_config', `In ${file}, ${what} is not an ${kind}.`, { hint: 'Mend the file, then try again.' })
}
