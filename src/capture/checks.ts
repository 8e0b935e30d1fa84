// What `doctor` says of capturing: notes nobody understood, hooks that failed lately, pushes that do not get through.
import type { Check } from '../model/catalog.ts'
import type { CaptureContext } from './context.ts'
import { hookLogPath, readHookLog } from './hook-log.ts'
import { garbageFolder, listGarbage } from './pending.ts'
import { pushStates } from './push.ts'

const dayMs = 86_400_000
/** A push that began so lately may still be under way. */
const underWayMs = 120_000

export function checkCaptures(context: CaptureContext): Check[] {
  return [countCaptures(context), ...checkGarbage(context), ...checkLog(context), ...checkPushes(context)]
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
