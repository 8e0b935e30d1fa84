// `fork_session`: a fork of a named session, or of the one that calls ("fork me here").
import { z } from 'zod'
import { AppError } from '../../../model/error.ts'
import { sessionAddress } from '../../../model/render.ts'
import { parameters } from '../../parameters.ts'
import { folderFor, placeOfCaller } from '../caller.ts'
import { forkShape } from '../guidance-shape.ts'
import { openFork, type WantedFork } from '../open-fork.ts'
import { accept, agentType, atTurn, code, codeAt, line, planId, prompt, send, session, terminal } from '../schemas.ts'
import { adding, type Call, defineTool } from '../tool.ts'

const input = parameters({
  session: session
    .optional()
    .describe(
      'Which session, with @<turn> at which turn; `caller` or absent: the one that is calling, at its last finished turn',
    ),
  at_turn: atTurn,
  to_agent: agentType.optional().describe('Continue with this agent instead; then the transcript is given to it as text'),
  code,
  code_at: codeAt,
  title: line('Title of the fork').optional(),
  branch: line('Name of its branch; default: offshoot/session/<short id>').optional(),
  prompt: prompt.optional().describe('First prompt of the fork'),
  send,
  name: line('Name of the worker').optional(),
  terminal: z
    .enum([...terminal.unwrap().options, 'none'])
    .optional()
    .describe(
      'Where it opens; `none`: it is made and the command to open it is returned. Default: as `plan_id` says, else `none`',
    ),
  accept,
  plan_id: planId.describe('Id of a plan shown before, to execute just that; only accept, name and terminal go with it'),
  dry_run: z.boolean().default(false).describe('Only show the plan'),
})

export const forkSession = defineTool({
  name: 'fork_session',
  title: 'Fork a session',
  description:
    'Makes a new session from a past one, or from this one, up to a turn: new session id, own git worktree and branch with the code as it was then, the original untouched. dry_run shows the plan.',
  input,
  output: z.looseObject(forkShape),
  annotations: adding,
  alwaysLoad: true,
  async run(args, call) {
    const place = await findPlace(call, args)
    const structured = await openFork(call, {
      ...place,
      to: args.to_agent,
      code: args.code,
      codeAt: args.code_at,
      title: args.title,
      branch: args.branch,
      prompt: args.prompt,
      send: args.send,
      name: args.name,
      terminal: args.terminal ?? place.terminal ?? 'none',
      accept: args.accept ?? [],
      planId: args.plan_id,
      dryRun: args.dry_run,
    })
    return { structured, text: tell(structured) }
  },
})

type Place = Pick<WantedFork, 'address' | 'agent' | 'sessionId' | 'projectPath' | 'at' | 'terminal'>

async function findPlace({ guarded, caller }: Call, args: z.output<typeof input>): Promise<Place> {
  if (args.plan_id !== undefined) {
    const { accept: _, plan_id: __, name: ___, terminal: ____, dry_run, send: isSent, ...others } = args
    const given = [...Object.keys(others), ...(dry_run ? ['dry_run'] : []), ...(isSent ? ['send'] : [])]
    if (given.length > 0) throw new AppError('usage', `plan_id cannot be used with ${given.join(', ')}.`)
    const { agent, parent, terminal: where } = await guarded.plannedFork(args.plan_id)
    const { session: of } = await guarded.resolve(`${parent.agent}:${parent.sessionId}`)
    const projectPath = await folderFor(guarded, await caller(), of)
    return { address: sessionAddress(of), agent, sessionId: of.id, projectPath, terminal: where === 'here' ? 'none' : where }
  }
  const isCaller = args.session === undefined || args.session === 'caller'
  const here = isCaller ? await placeOfCaller(guarded, await caller(), args.at_turn) : null
  const address = here?.address ?? args.session ?? ''
  const { session: of } = await guarded.resolve(here === null ? address : here.address)
  return {
    address: here === null ? address : sessionAddress(of),
    agent: of.agent,
    sessionId: of.id,
    projectPath: await folderFor(guarded, await caller(), of),
    at: args.at_turn ?? here?.turnId ?? undefined,
  }
}

function tell(answer: Readonly<Record<string, unknown>>): string {
  const forked = answer.forked_session as { session_name: string; session_id: string } | undefined
  if (forked !== undefined) return `Forked as ${forked.session_name} (${forked.session_id}).`
  if (answer.plan === undefined) return String(answer.next)
  return Array.isArray(answer.confirm)
    ? `Nothing was done. The fork needs a yes: ${answer.confirm.join(', ')}.`
    : 'The plan; nothing was done.'
}
