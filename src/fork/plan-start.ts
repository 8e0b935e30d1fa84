// What a start is going to do, found out before anything is made: the agent, the code, the workspace, where it is pushed to.
import { realpath } from 'node:fs/promises'
import { agentOf } from '../agents/agent-of.ts'
import { titleBeforePrompt, titleOfPrompt } from '../lib/prompt-title.ts'
import { AppError } from '../model/error.ts'
import type { StartPlan, StartRequest } from '../model/start.ts'
import type { Repository } from '../snapshots/repository.ts'
import type { WorkspacePlan } from '../snapshots/workspace-plan.ts'
import { describeCode, readSubmodules } from './code.ts'
import { codeWarnings } from './code-warnings.ts'
import type { ForkContext } from './context.ts'
import { planSetup } from './plan-setup.ts'
import { choosePush } from './push.ts'
import { describeOpening, describeSetup } from './steps.ts'

export interface Prepared {
  readonly plan: StartPlan
  /** The person chose the title: then the session bears it. */
  readonly titled: boolean
  readonly repository: Repository
  readonly workspace: WorkspacePlan
}

/** Pure reading. */
export async function prepareStart(context: ForkContext, request: StartRequest): Promise<Prepared> {
  const agent = agentOf(context, request.agent)
  const { installed, problem } = await agent.abilities(context.env)
  if (!installed) throw new AppError('tool_missing', problem ?? `${agent.label} is not installed, or not on the PATH.`)
  const { code = 'head', prompt, branch, terminal = 'print' } = request
  const [{ readCodeState }, { planWorkspace }, { mapFolder }] = await Promise.all([
    import('../snapshots/code-state.ts'),
    import('../snapshots/workspace-plan.ts'),
    import('../snapshots/start-folder.ts'),
  ])
  const state = await readCodeState(context.git, context.cwd)
  const { repository } = state
  if (code === 'now' && repository.root === null) {
    throw new AppError('refused', `${repository.gitDir} is a bare repository: there is no present state to carry.`, {
      hint: `Use ${context.nameOption('code', 'head')}.`,
    })
  }
  const push = await choosePush(context, repository, request.push)
  const workspace = await planWorkspace(context.git, repository, {
    worktreesRoot: await context.worktreesRoot(),
    baseCommit: state.commit,
    ...(branch === undefined ? {} : { branch }),
  })
  const here = await realpath(context.cwd)
  const cwd = repository.root === null ? workspace.path : await mapFolder(repository.root, here, workspace.path)
  const notes = workspace.notes.map((message) => ({ code: 'workspace' as const, message }))
  const [submodules, { setup, warnings: setupWarnings }] = await Promise.all([
    readSubmodules(context, code, state),
    planSetup(context, { repository, roots: repository.root === null ? [] : [repository.root] }),
  ])
  const plan: StartPlan = {
    agent: agent.id,
    title: request.title ?? (titleOfPrompt(prompt ?? '') || titleBeforePrompt(repository.name)),
    ...(prompt === undefined ? {} : { prompt }),
    code: describeCode(code, state, submodules),
    workspace: { path: workspace.path, branch: workspace.branch, baseCommit: workspace.baseCommit },
    cwd,
    push,
    setup,
    terminal,
    warnings: [...codeWarnings(code, state, submodules, context.nameOption).warnings, ...setupWarnings, ...notes],
    steps: [],
  }
  return { plan: { ...plan, steps: describeSteps(plan) }, titled: request.title !== undefined, repository, workspace }
}

function describeSteps({ agent, code, workspace, cwd, push, setup, terminal }: StartPlan): string[] {
  const content = code.mode === 'now' ? 'the present state of the work tree' : (code.commit?.slice(0, 12) ?? 'no commit yet')
  return [
    `Make the workspace ${workspace.path} on the new branch ${workspace.branch}, with ${content}.`,
    `Name the ${agent} session, so that each of its turns is captured and committed there from the first on.`,
    ...(push === null ? [] : [`Push each of these commits to ${push}, in the background.`]),
    ...(setup === null ? [] : [describeSetup(setup)]),
    ...describeOpening({ terminal, cwd }),
  ]
}
