// `session_tree`: lineage. Flat, each node with its depth and parent, so that a deep or wide tree comes in pages.
import { z } from 'zod'
import type { LineageNode } from '../../../model/catalog.ts'
import { sessionAddress } from '../../../model/render.ts'
import { isCaller } from '../caller.ts'
import { readOffset } from '../paging.ts'
import { toSession } from '../render.ts'
import { untrustedNotice } from '../safe-text.ts'
import { cursor, next, notice, session, sessionShape } from '../schemas.ts'
import { fitRows } from '../size.ts'
import { defineTool, reading } from '../tool.ts'

export const sessionTree = defineTool({
  name: 'session_tree',
  title: 'Show how sessions descend from each other',
  description: 'Shows which session was forked from which, at which turn and how: of one session, or of everything here.',
  input: z.strictObject({
    session: session.optional().describe('Only the lineage of this session'),
    limit: z.number().int().min(1).max(50).default(25),
    cursor,
  }),
  output: z.looseObject({
    nodes: z.array(
      z.looseObject({
        session: sessionShape,
        parent: z.string().nullable(),
        depth: z.number(),
        fork_kind: z.string().nullable(),
        at_turn: z.number().nullable(),
      }),
    ),
    total: z.number(),
    next,
    notice,
  }),
  annotations: reading,
  async run(args, call) {
    const of = args.session === undefined ? undefined : (await call.guarded.resolve(args.session)).session
    const nodes = flatten(await call.guarded.tree(of))
    const caller = await call.caller()
    const offset = readOffset(args.cursor)
    const rows = await Promise.all(
      nodes.slice(offset, offset + args.limit).map(async ({ node, parent, depth }) => ({
        session: await toSession(node.session, call.redactor),
        parent,
        depth,
        fork_kind: node.forkKind,
        at_turn: node.atTurn,
        ...(isCaller(caller, node.session) ? { is_caller: true } : {}),
      })),
    )
    const shown = fitRows(rows)
    const more = offset + shown.length < nodes.length ? { next: String(offset + shown.length) } : {}
    return {
      structured: { nodes: shown, total: nodes.length, ...more, notice: untrustedNotice },
      text: `${shown.length} of ${nodes.length} sessions.`,
    }
  },
})

interface Placed {
  readonly node: LineageNode
  readonly parent: string | null
  readonly depth: number
}

/** Parents before children. A loop, not recursion: a chain of forks may be deeper than the stack. */
function flatten(roots: readonly LineageNode[]): Placed[] {
  const placed: Placed[] = []
  const open: Placed[] = roots.map((node) => ({ node, parent: null, depth: 0 })).reverse()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    placed.push(next)
    const parent = sessionAddress(next.node.session)
    for (const node of [...next.node.children].reverse()) open.push({ node, parent, depth: next.depth + 1 })
  }
  return placed
}
