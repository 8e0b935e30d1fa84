// What a worker is doing, in a few words; how it ended, honestly.
import type { PermissionRequest } from '../../model/run.ts'
import type { Worker } from '../../model/worker.ts'

export function describeState(worker: Worker): string {
  const cutOff = worker.turnCutOff && worker.state !== 'running' ? ', its last turn was cut off' : ''
  return `${words(worker)}${cutOff}${fault(worker)}`
}

const shownWords = 80

/** Why its last turn failed or how it ended, in the agent's words. */
function fault({ state, exitStatus, error }: Worker): string {
  const [line = ''] = (error ?? '').trim().split('\n')
  if (line === '' || state === 'running' || state === 'starting') return ''
  const words = line.length > shownWords ? `${line.slice(0, shownWords - 1)}…` : line
  const endedSo = state === 'lost' || (state === 'exited' && exitStatus !== 0)
  return endedSo ? `: ${words}` : `, its last turn failed: ${words}`
}

/** What leave is asked for: the tool and what it is about. */
export function describeAsked({ tool, kind, summary }: PermissionRequest): string {
  return kind === 'question' || tool === '' || summary.startsWith(tool) ? summary : `${tool}: ${summary}`
}

function words({ state, permission, exitStatus, exitSignal }: Worker): string {
  switch (state) {
    case 'waiting':
      return permission === null ? 'waiting for an answer' : `waiting: ${describeAsked(permission)}`
    case 'exited':
      if (exitSignal !== null) return `exited by ${exitSignal}`
      return exitStatus === null ? 'exited' : `exited with ${exitStatus}`
    case 'stopped':
      return 'stopped'
    case 'resumable':
      return 'resumable: comes back with the next prompt'
    case 'lost':
      return 'lost: its pane is gone'
    default:
      return state
  }
}
