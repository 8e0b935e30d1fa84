// `list_turns`: the places to fork, newest page first.
import { z } from 'zod'
import { renderTurn, sessionAddress } from '../../../model/render.ts'
import type { Turn } from '../../../model/session.ts'
import { parameters } from '../../parameters.ts'
import { readOffset } from '../paging.ts'
import { safeText, untrustedNotice } from '../safe-text.ts'
import { cursor, notice, session } from '../schemas.ts'
import { fitRows, shorten } from '../size.ts'
import { defineTool, reading } from '../tool.ts'

export const listTurns = defineTool({
  name: 'list_turns',
  title: 'List the turns of a session',
  description:
    'Lists the turns of a session, the places where it can be forked: number, prompt, state and what code was captured. The newest come first; pass `next` for older ones.',
  input: parameters({
    session,
    limit: z.number().int().min(1).max(100).default(20),
    dead_branches: z.boolean().default(false).describe('Also turns that were rewound or abandoned'),
    prompt_length: z.number().int().min(20).max(2000).default(200),
    cursor,
  }),
  output: z.looseObject({
    session: z.string(),
    total: z.number(),
    turns: z.array(
      z.looseObject({
        number: z.number().nullable(),
        id: z.string(),
        address: z.string(),
        prompt: z.string(),
        state: z.string(),
      }),
    ),
    next: z.string().optional(),
    notice,
  }),
  annotations: reading,
  async run(args, call) {
    const { session: of } = await call.guarded.resolve(args.session)
    const turns = [...(await call.guarded.listTurns(of, { deadBranches: args.dead_branches }))].reverse()
    const offset = readOffset(args.cursor)
    const render = async (turn: Turn) => ({
      ...(shorten(renderTurn(of, turn), { items: 10, characters: 200 }) as ReturnType<typeof renderTurn>),
      prompt: await safeText(call.redactor, turn.prompt, args.prompt_length),
    })
    const rows = fitRows(await Promise.all(turns.slice(offset, offset + args.limit).map(render)))
    const more = offset + rows.length < turns.length ? { next: String(offset + rows.length) } : {}
    return {
      structured: { session: sessionAddress(of), total: turns.length, turns: rows, ...more, notice: untrustedNotice },
      text: `${rows.length} of ${turns.length} turns.`,
    }
  },
})
