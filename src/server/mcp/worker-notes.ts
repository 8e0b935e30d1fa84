// What the caller must know of a worker it just got: how to reach it, and when it ends.
import type { Worker } from '../../model/worker.ts'
import type { Call } from './tool.ts'

export function whereItLives({ surface }: Pick<Call, 'surface'>, worker: Worker): string {
  const name = `worker:${worker.name}`
  if (worker.terminal === 'print') return `Nothing was opened: the person starts it themselves, in its folder, with \`command\`.`
  if (worker.kind === 'terminal') {
    // Trust in a new folder, say. Nothing may be sent meanwhile, and no tool answers for the person.
    const asks = worker.state === 'waiting' ? ' It asks something first: the person has to answer it in the pane.' : ''
    return `${name} runs in a ${worker.terminal} pane and goes on when this server ends; the user sees it with \`offshoot attach ${worker.name}\`.${asks} Ask with list_workers.`
  }
  const headless = `${name} is headless: give it prompts with send_to_worker.`
  return surface === 'http'
    ? `${headless} It belongs to the offshoot server and is resumed by the next prompt after a restart.`
    : `${headless} It ends together with this MCP server, that is with the session that called; a turn that runs then is cut off. Its session stays, and the next prompt resumes it. For one that outlives this session use a terminal, or the server of \`offshoot serve\`.`
}
