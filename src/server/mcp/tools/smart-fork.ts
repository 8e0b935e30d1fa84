// `smart_fork`: find the past session that holds the right context and, when told to, fork it (SF1-SF7).
import { z } from 'zod'
import { AppError } from '../../../model/error.ts'
import { sessionAddress, turnAddress } from '../../../model/render.ts'
import type { SearchResult } from '../../../model/search.ts'
import { parameters } from '../../parameters.ts'
import { forkShape, searchShape } from '../guidance-shape.ts'
import { openFork } from '../open-fork.ts'
import { accept, agentType, atTurn, code, codeAt, line, projectPath, terminal } from '../schemas.ts'
import { type Found, findSessions, guide } from '../search.ts'
import { type Answer, adding, type Call, defineTool } from '../tool.ts'

/** Questions about something else reach 0.12 with the built-in engine (search/query/score.ts): nothing below is taken unasked. */
const leastScore = 0.2

const input = parameters({
  intent: line('What the person wants to do, in plain words'),
  agent_type: z.enum(['claude', 'codex', 'both']).default('claude').describe('Whose sessions to look in'),
  limit: z.number().int().min(1).max(20).default(5).describe('At most this many sessions'),
  project_path: projectPath,
  engine: z.enum(['builtin', 'qmd']).optional().describe('Default: as the settings say'),
  collection: line('A qmd collection to ask instead of the built-in engine').optional(),
  min_score: z.number().min(0).max(1).optional().describe('Leave out what scores less'),
  include_snippets: z.boolean().default(true),
  snippet_length: z.number().int().min(20).max(1000).default(300),
  auto_fork: z.boolean().default(false).describe('Fork the best match at once'),
  fork_index: z.number().int().min(1).max(20).optional().describe('Fork the result with this rank (1 is the best)'),
  at_turn: atTurn.describe('Turn to fork after; default: the turn that fits best'),
  to_agent: agentType.optional().describe('Continue with this agent instead; then the transcript is given to it as text'),
  code,
  code_at: codeAt,
  terminal: z
    .enum([...terminal.unwrap().options, 'none'])
    .optional()
    .describe(
      'Where the fork opens; `none`: it is made but not opened. Default: as the settings say, else the terminal the person is in, else headless',
    ),
  accept,
  dry_run: z.boolean().default(false).describe('With auto_fork or fork_index: only show the plan'),
})

type Input = z.output<typeof input>

export const smartFork = defineTool({
  name: 'smart_fork',
  title: 'Find a past session and fork it',
  description:
    'Finds the past Claude Code or Codex sessions of this repository that fit an intent, each with the turn that fits best. Only searches, unless auto_fork or fork_index is given: then it forks that session (new session id, own git worktree and branch, the original untouched) and opens it as a worker.',
  input,
  output: z.looseObject({ ...searchShape, ...forkShape }),
  annotations: adding,
  alwaysLoad: true,
  async run(args, call) {
    refuseWithoutFork(args)
    let found: Found
    try {
      found = await findSessions(call, {
        text: args.intent,
        agentType: args.agent_type,
        limit: args.limit,
        projectPath: args.project_path,
        engine: args.engine,
        collection: args.collection,
        minScore: args.min_score,
        includeSnippets: args.include_snippets,
        snippetLength: args.snippet_length,
      })
    } catch (thrown) {
      return guide(call, thrown, args.limit)
    }
    if (!args.auto_fork && args.fork_index === undefined) return tell(found, { next: nextStep(found) })
    const chosen = choose(found, args)
    if (chosen === null) return tell(found, { next: 'Nothing was forked: no result is near enough. Choose one with fork_index.' })
    return tell(found, await forkChosen(call, args, found.scope, chosen))
  },
})

/** Without a fork these would have no effect. */
function refuseWithoutFork({
  auto_fork,
  fork_index,
  at_turn,
  to_agent,
  code: mode,
  code_at,
  terminal: where,
  ...args
}: Input): void {
  if (auto_fork && fork_index !== undefined)
    throw new AppError('usage', 'Give `auto_fork` for the best result or `fork_index` for another, not both.')
  if (auto_fork || fork_index !== undefined) return
  const { accept: accepted, dry_run } = args
  const fields = { at_turn, to_agent, code: mode, code_at, terminal: where, accept: accepted, dry_run: dry_run || undefined }
  const given = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`\`${name}\``]))
  if (given.length === 0) return
  throw new AppError(
    'usage',
    `Nothing is forked without \`auto_fork\` or \`fork_index\`, so ${given.join(', ')} would do nothing.`,
    {
      hint: 'Leave them out to search; then call again with `fork_index` and with them.',
    },
  )
}

function choose({ results, engine }: Found, { fork_index: rank, at_turn }: Input): SearchResult | null {
  if (rank === undefined) {
    return results.find(({ canFork, score }) => canFork && (engine === 'qmd' || score >= leastScore)) ?? null
  }
  const chosen = results.find((result) => result.rank === rank)
  if (chosen === undefined) {
    const range = results.length === 0 ? 'there are no results' : `the results are ranked 1 to ${results.length}`
    throw new AppError('usage', `There is no result ${rank}: ${range}.`, { hint: 'Leave fork_index out to see the results.' })
  }
  // What is said of a result is said of the turn that fits best, not of another one that is named.
  if (!chosen.canFork && at_turn === undefined) {
    throw new AppError('parent_missing', chosen.warning ?? 'This session cannot be forked.', { hint: 'Choose another result.' })
  }
  return chosen
}

function forkChosen(call: Call, args: Input, projectPath: string, { session, turn }: SearchResult) {
  const isNamed = args.at_turn !== undefined || turn === null
  return openFork(call, {
    address: isNamed ? sessionAddress(session) : turnAddress(session, turn),
    agent: session.agent,
    sessionId: session.id,
    projectPath,
    at: args.at_turn,
    to: args.to_agent,
    code: args.code,
    codeAt: args.code_at,
    terminal: args.terminal,
    accept: args.accept ?? [],
    dryRun: args.dry_run,
  })
}

function nextStep({ results, isComplete }: Found): string {
  if (results.length === 0 && !isComplete) return 'Nothing fits so far, but indexing is not done: try again in a moment.'
  return results.length === 0
    ? 'Nothing fits. Try other words, agent_type both, or list_sessions.'
    : 'Ask the person which one to fork, then call again with fork_index, and with what the fork needs (code, terminal); read_session shows more of one.'
}

function tell({ structured, results }: Found, more: Readonly<Record<string, unknown>>): Answer {
  const forked = more.forked_session as { session_name: string; session_id: string } | undefined
  const found = `${results.length} session${results.length === 1 ? '' : 's'} found.`
  const done = forked === undefined ? '' : ` Forked as ${forked.session_name} (${forked.session_id}).`
  const open = Array.isArray(more.confirm) ? ` The fork needs a yes: ${more.confirm.join(', ')}.` : ''
  return { structured: { ...structured, ...more }, text: `${found}${done}${open}` }
}
