// Are our hooks in a settings file, all of them, and do they run the program that is running now: the part of `status` that is
// the same for every agent.
import type { HookState } from '../model/capture.ts'
import type { FoundMark } from './hook-command.ts'
import type { HookEntry, OurHook } from './hook-settings.ts'

export function stateOfHooks(
  ours: readonly OurHook[],
  entries: readonly HookEntry[],
  commandFor: (found: FoundMark) => string,
): Extract<HookState, 'installed' | 'partly' | 'absent' | 'outdated'> {
  if (ours.length === 0) return 'absent'
  if (!entries.every(({ event }) => ours.some((hook) => hook.event === event))) return 'partly'
  return ours.every(({ command, found }) => command === commandFor(found)) ? 'installed' : 'outdated'
}

export const stateMessages: Readonly<Record<HookState, string>> = {
  installed: 'every turn is captured',
  partly: 'some of our hooks are missing',
  absent: 'not installed: turns are not captured',
  not_trusted: 'installed, but Codex does not trust it and so does not run it',
  not_run: 'installed, but the agent does not run it',
  outdated: 'installed, but for another offshoot or another Node than this one',
}
