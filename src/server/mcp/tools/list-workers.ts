// `list_workers`: who is at work, and what each waits for.
import { z } from 'zod'
import { parameters } from '../../parameters.ts'
import { readOffset } from '../paging.ts'
import { toWorker } from '../render.ts'
import { untrustedNotice } from '../safe-text.ts'
import { cursor, next, notice, workerShape } from '../schemas.ts'
import { fitRows } from '../size.ts'
import { defineTool, reading } from '../tool.ts'

export const listWorkers = defineTool({
  name: 'list_workers',
  title: 'List workers',
  description:
    'Lists the agents offshoot started, newest first, each with its state: starting, running, idle, waiting (for a permission: only the person may answer), resumable, stopped, exited, lost; `error` says why one failed.',
  input: parameters({
    ended: z.boolean().default(false).describe('Also those that have ended'),
    limit: z.number().int().min(1).max(50).default(20),
    cursor,
  }),
  output: z.looseObject({ workers: z.array(workerShape), next, notice }),
  annotations: reading,
  async run(args, call) {
    const workers = await call.guarded.listWorkers({ ended: args.ended })
    const offset = readOffset(args.cursor)
    const rows = await Promise.all(workers.slice(offset, offset + args.limit).map((worker) => toWorker(worker, call.redactor)))
    const shown = fitRows(rows)
    const more = offset + shown.length < workers.length ? { next: String(offset + shown.length) } : {}
    return {
      structured: { workers: shown, ...more, notice: untrustedNotice },
      text: `${shown.length} of ${workers.length} workers.`,
    }
  },
})
