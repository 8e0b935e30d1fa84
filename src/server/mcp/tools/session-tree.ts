// `session_tree`: lineage, children within their parents. A page is a stretch of the tree read from the top; who stands on it without
// their parent says who that is.
import { z } from 'zod'
import { stateWord } from '../../../lib/text/session-state.ts'
import type { LineageNode } from '../../../model/catalog.ts'
import { sessionAddress } from '../../../model/render.ts'
import { renderTime } from '../../../model/render-time.ts'
import type { Worker } from '../../../model/worker.ts'
import { parameters } from '../../parameters.ts'
import { isCaller } from '../caller.ts'
import { readOffset } from '../paging.ts'
import { safeText, untrustedNotice } from '../safe-text.ts'
import { agentType, cursor, next, notice, session } from '../schemas.ts'
import { fitRows } from '../size.ts'
import { type Call, defineTool, reading } from '../tool.ts'

const titleLength = 120
const branchLength = 120

const fields = {
  session: z.string().describe('Its address'),
  agent: agentType,
  title: z.string(),
  branch: z.string().nullable(),
  state: z
    .string()
    .describe(
      'Of its worker (running, waiting, idle ...), else open (in some process), present, archived, or restorable (deleted by its agent; forking puts it back)',
    ),
  turns: z.number(),
  updated_at: z.string().nullable(),
  at_turn: z.number().nullable().describe("Number of the parent's turn it was forked after"),
  at_turn_id: z.string().nullable().describe('Id of that turn; alone where it is on a dead branch'),
  fork_kind: z.string().nullable(),
  parent: z.string().optional().describe('Its parent, where that is not shown on this page'),
  worker: z.string().optional(),
  is_caller: z.boolean().optional(),
}

const node: z.ZodType = z.looseObject({
  ...fields,
  get children(): z.ZodType {
    return z.array(node)
  },
})

type Row = z.infer<z.ZodObject<typeof fields>>
type Tree = Row & { readonly children: Tree[] }

export const sessionTree = defineTool({
  name: 'session_tree',
  title: 'Show how sessions descend from each other',
  description:
    'Shows which session was forked from which, at which turn and how, as a tree with the agent, branch and state of each: of one session, or of everything here.',
  input: parameters({
    session: session.optional().describe('Only the lineage of this session'),
    limit: z.number().int().min(1).max(50).default(25),
    cursor,
  }),
  output: z.looseObject({ nodes: z.array(node), shown: z.number(), total: z.number(), next, notice }),
  annotations: reading,
  async run(args, call) {
    const of = args.session === undefined ? undefined : (await call.guarded.resolve(args.session)).session
    const placed = flatten(await call.guarded.tree(of))
    const workers = await call.guarded.listWorkers()
    const offset = readOffset(args.cursor)
    const page = placed.slice(offset, offset + args.limit)
    const rows = await Promise.all(page.map(({ node: each }) => describe(each, workers, call)))
    const count = fitRows(rows.map((row, at) => ({ ...row, parent: page[at]?.parent, children: [] }))).length
    const more = offset + count < placed.length ? { next: String(offset + count) } : {}
    const nodes = nest(rows.slice(0, count), page)
    return {
      structured: { nodes, shown: count, total: placed.length, ...more, notice: untrustedNotice },
      text: `${count} of ${placed.length} sessions.`,
    }
  },
})

async function describe(
  { session: of, atTurn, forkKind }: LineageNode,
  workers: readonly Worker[],
  { redactor, caller }: Call,
): Promise<Row> {
  const worker = workers.find(({ agent, sessionId }) => agent === of.agent && sessionId === of.id)
  return {
    session: sessionAddress(of),
    agent: of.agent,
    title: await safeText(redactor, of.title, titleLength),
    branch: of.branch === null ? null : await safeText(redactor, of.branch, branchLength),
    state: worker?.state ?? (of.live ? 'open' : stateWord(of.state)),
    turns: of.turns,
    updated_at: renderTime(of.updatedAt),
    at_turn: atTurn,
    at_turn_id: of.parent?.turnId ?? null,
    fork_kind: forkKind,
    ...(worker === undefined ? {} : { worker: worker.name }),
    ...(isCaller(await caller(), of) ? { is_caller: true } : {}),
  }
}

interface Placed {
  readonly node: LineageNode
  readonly parent: string | null
}

/** Parents before children. A loop, not recursion: a chain of forks may be deeper than the stack. */
function flatten(roots: readonly LineageNode[]): Placed[] {
  const placed: Placed[] = []
  const open: Placed[] = roots.map((root) => ({ node: root, parent: null })).reverse()
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    placed.push(at)
    const parent = sessionAddress(at.node.session)
    for (const child of [...at.node.children].reverse()) open.push({ node: child, parent })
  }
  return placed
}

function nest(rows: readonly Row[], page: readonly Placed[]): Tree[] {
  const trees = new Map<LineageNode, Tree>(
    page.flatMap((at, index) => {
      const row = rows[index]
      return row === undefined ? [] : [[at.node, { ...row, children: [] }]]
    }),
  )
  const inside = new Set<LineageNode>()
  for (const [from, tree] of trees) {
    for (const child of from.children) {
      const its = trees.get(child)
      if (its === undefined) continue
      tree.children.push(its)
      inside.add(child)
    }
  }
  return page.flatMap(({ node: each, parent }) => {
    const tree = trees.get(each)
    if (tree === undefined || inside.has(each)) return []
    return [parent === null ? tree : { ...tree, parent }]
  })
}
