// `fork_worker`: a second worker from where the first one is; the first goes on undisturbed (WK2).
import { z } from 'zod'
import { toWorker } from '../render.ts'
import { accept, atTurn, line, prompt, send, terminal, workerShape } from '../schemas.ts'
import { adding, defineTool } from '../tool.ts'
import { whereItLives } from '../worker-notes.ts'

export const forkWorker = defineTool({
  name: 'fork_worker',
  title: 'Fork a worker',
  description:
    "Forks a worker's session into a new worker with the same settings, in its own pane. A busy one is forked at its last finished turn.",
  input: z.strictObject({
    worker: line('Its name, id or session id'),
    name: line('Name of the new worker').optional(),
    session_id: z.uuid().optional().describe('Id of the new session (Claude); default: a new one'),
    at_turn: atTurn,
    workspace: z.boolean().optional().describe('A git worktree of its own; default: the same folder'),
    prompt: prompt.optional().describe('First prompt of the fork'),
    send,
    terminal,
    accept,
  }),
  output: z.looseObject({ worker: workerShape, forked_from: z.string(), note: z.string() }),
  annotations: adding,
  async run(args, call) {
    await call.progress('forking')
    const { terminal: where } = args
    const worker = await call.guarded.forkWorker(
      args.worker,
      {
        ...(args.name === undefined ? {} : { name: args.name }),
        ...(args.session_id === undefined ? {} : { sessionId: args.session_id }),
        ...(args.at_turn === undefined ? {} : { atTurn: args.at_turn }),
        ...(args.workspace === undefined ? {} : { workspace: args.workspace }),
        ...(args.accept === undefined ? {} : { accept: args.accept }),
        ...(args.prompt === undefined ? {} : { prompt: args.prompt, send: args.send }),
        ...(where === undefined ? {} : { terminal: where === 'headless' ? 'none' : where }),
      },
      { signal: call.signal },
    )
    return {
      structured: {
        worker: await toWorker(worker, call.redactor),
        forked_from: worker.forkedFrom ?? args.worker,
        note: whereItLives(call, worker),
        ...(worker.pendingPrompt === null ? {} : { pending_prompt: worker.pendingPrompt }),
      },
      text: `Forked as ${worker.name}.`,
    }
  },
})
