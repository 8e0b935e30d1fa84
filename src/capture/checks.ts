// What `doctor` says of capturing: notes nobody understood, hooks that failed lately, pushes that do not get through.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runChecksApart } from '../lib/checks-apart.ts'
import { readIfThere } from '../lib/git-proof.ts'
import { isFolder } from '../lib/is-folder.ts'
import { findLinks } from '../lib/own-folder.ts'
import type { Check } from '../model/catalog.ts'
import { agentIds } from '../model/session.ts'
import { provesWorkspace } from '../snapshots/workspace-proof.ts'
import type { CaptureContext } from './context.ts'
import { hookLogPath, readHookLog } from './hook-log.ts'
import { garbageFolder, listGarbage } from './pending.ts'
import { pushStates } from './push.ts'
import { capturesFolder } from './session-state.ts'

const dayMs = 86_400_000
/** A push that began so lately may still be under way. */
const underWayMs = 120_000

export function checkCaptures(context: CaptureContext): Promise<readonly Check[]> {
  return runChecksApart({
    captures: () => countCaptures(context),
    garbage: () => checkGarbage(context),
    links: () => checkLinks(context),
    hook: () => checkLog(context),
    push: () => checkPushes(context),
    workspaces: () => checkWorkspaces(context),
  })
}

function countCaptures(context: CaptureContext): Check {
  const count = context.store().captures.count()
  return { id: 'captures', state: 'ok', message: `${count} captured ${count === 1 ? 'moment' : 'moments'} of turns`, fix: null }
}

function checkGarbage({ folder }: CaptureContext): Check[] {
  const garbage = listGarbage(folder)
  if (garbage.length === 0) return []
  const message = `${garbage.length} ${garbage.length === 1 ? 'note' : 'notes'} of captures could not be understood: ${garbageFolder(folder)}`
  return [{ id: 'captures', state: 'warn', message, fix: 'offshoot index --rebuild, then remove that folder' }]
}

/** What is behind them is never cleared, so it grows. */
function checkLinks({ folder }: CaptureContext): Check[] {
  const captures = capturesFolder(folder)
  const plain = [captures, join(folder, 'tmp'), join(captures, 'pending'), garbageFolder(folder)].map((path) => ({ path }))
  const swept = ['bundles', 'trash', 'captures/scratch', ...agentIds.map((agent) => `captures/${agent}`)]
  const links = findLinks([...plain, ...swept.map((name) => ({ path: join(folder, name), inside: true }))])
  return links.map((path) => {
    const message = `${path} is a link: offshoot clears nothing that is behind it`
    return { id: 'links', state: 'warn', message, fix: 'Put a folder in its place, or point OFFSHOOT_HOME somewhere else' }
  })
}

/** Faults since the last event that went well, within a day. */
function checkLog({ folder, now }: CaptureContext): Check[] {
  const lines = readHookLog(folder)
  const since = lines.slice(lines.findLastIndex(({ problem, captured }) => problem === undefined && captured !== undefined) + 1)
  const faults = since.filter(({ at, problem }) => problem !== undefined && Date.parse(at) > now() - dayMs)
  const last = faults.at(-1)
  if (last === undefined) return []
  const times = faults.length === 1 ? 'once' : `${faults.length} times in a row`
  const message = `the hook failed ${times}, last for ${last.agent} at ${last.at}: ${last.problem}`
  return [{ id: 'hook', state: 'warn', message, fix: `See ${hookLogPath(folder)}` }]
}

function checkPushes(context: CaptureContext): Check[] {
  return pushStates(context).flatMap((push): Check[] => {
    const { branch, workspaceId, remote, attempts, problem, nextAt } = push
    const name = branch ?? workspaceId
    if (problem !== null) {
      const message = `${name} could not be pushed to ${remote} (${attempts} ${attempts === 1 ? 'try' : 'tries'}): ${problem}`
      const fix = 'Mend what it says; it is tried again with the next turn, or now: offshoot doctor --fix'
      return [{ id: 'push', state: 'warn', message, fix }]
    }
    if (nextAt === null || nextAt > context.now() - underWayMs) return []
    const message = `${name} waits to be pushed to ${remote}: whoever was at it was cut off`
    return [{ id: 'push', state: 'warn', message, fix: 'offshoot doctor --fix' }]
  })
}

/** A folder that does not prove to be the workspace that was made there is removed by no command. */
function checkWorkspaces({ store }: CaptureContext): Check[] {
  const there = store()
    .workspaces.all()
    .filter(({ removedAt, path }) => removedAt === null && isFolder(path) && readdirSync(path).length > 0)
  const unproven = there.filter(({ path, commonDir }) => !provesWorkspace(readIfThere(join(path, '.git')) ?? '', commonDir))
  return unproven.map(({ path, branch, commonDir }) => {
    const message = `${path} does not prove to be the workspace of ${branch} that offshoot made in ${commonDir}: undo and gc leave it as it is`
    return {
      id: 'workspaces',
      state: 'warn',
      message,
      fix: 'If you need nothing in it, remove that folder, then run `offshoot gc --all`.',
    }
  })
}
