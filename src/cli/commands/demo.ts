// `offshoot demo`: builds a sandbox with sample sessions of both agents and walks through reading, forking, capturing and serving, each
// step with the command a person would type. Needs no agent, no network and no terminal, and touches no real home.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, createContext } from '../context.ts'
import { playCapturedSession, sampleTurns } from '../demo/captured-session.ts'
import { buildSandbox, type Sandbox } from '../demo/sandbox.ts'
import { serveStory } from '../demo/serve-story.ts'
import { runCommand } from '../run-command.ts'

export interface DemoOptions {
  readonly keep?: true | undefined
}

interface Step {
  readonly why: string
  readonly args: readonly string[]
}

/** The captured session, as a person would type it. */
const captured = 'claude:4be17d5c'

/** Code with its conversation: every turn of a session that ran with hooks is a state to go back to. */
const codeSteps: readonly Step[] = [
  {
    why: 'What an agent with hooks leaves behind: every turn with the code as it was then. Here three turns were just run.',
    args: ['turns', captured],
  },
  { why: 'What the last of them did to the code.', args: ['diff', `${captured}@3`, '--stat'] },
  { why: 'A fork at turn 2 gets the code of turn 2, whatever happened since.', args: ['fork', captured, '--at', '2', '--yes'] },
  { why: 'What the fork is without: the code between turn 2 and turn 3.', args: ['diff', `${captured}@2`, `${captured}@3`] },
  { why: 'The fork was only a try.', args: ['undo'] },
  {
    why: 'No fork, just the files: what restoring turn 2 would change here. Only what the session itself touched.',
    args: ['restore', `${captured}@2`, '--dry-run'],
  },
  { why: 'So be it. The state before is kept first.', args: ['restore', `${captured}@2`, '--yes'] },
  { why: 'And back again.', args: ['undo'] },
  { why: 'What could be cleared away, and why the rest stays.', args: ['gc', '--all', '--dry-run'] },
]

const stepsIn = ({ hasGit }: Sandbox): readonly Step[] => [
  { why: 'Every session of this repository, whichever agent ran it, newest first.', args: ['sessions'] },
  {
    why: 'The turns of one of them. Each is a place to branch; a compaction is crossed, not lost.',
    args: ['turns', 'claude:60309e1e'],
  },
  {
    why: 'One turn, to read: prompt, thinking, the tools that ran side by side, the answer.',
    args: ['show', 'claude:60309e1e@1'],
  },
  {
    why: 'The last turn of the newest Codex session, counted from the end, tools in full.',
    args: ['show', 'codex:last@-1', '--tools'],
  },
  { why: 'How the sessions descend from each other, across both agents.', args: ['tree'] },
  {
    why: 'Which session was that? Say what you are after: the session, the very turn, and why it fits.',
    args: ['search', 'let people type tomorrow'],
  },
  { why: 'Which sessions touched this file?', args: ['search', '--file', 'todo.mjs'] },
  {
    why: 'What a fork of its first turn would do. Looking changes nothing.',
    args: ['fork', 'claude:60309e1e', '--at', '1', '--code', hasGit ? 'now' : 'none', '--dry-run'],
  },
  {
    why: 'So be it: the conversation up to there, the files as they are now, in a workspace of its own.',
    args: ['fork', 'claude:60309e1e', '--at', '1', '--code', hasGit ? 'now' : 'none', '--yes'],
  },
  { why: 'There it is, at once, with the turn it was forked at. The source did not change by a byte.', args: ['tree'] },
  { why: 'And away again: nobody has worked in it yet, so nothing is lost.', args: ['undo'] },
  {
    why: 'A document to pass on. The token in that session is redacted on the way out.',
    args: ['export', 'codex:019a84f2-1d6b@1'],
  },
]

export async function runDemo(context: Context, options: DemoOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-demo-'))
  if (options.keep !== true)
    context.onExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  const { out } = context
  const { bold, cyan, dim } = out.colors
  const sandbox = await buildSandbox(folder, context.vars.PATH ?? '', context.now())
  await out.line(`${bold('offshoot demo')}: a sandbox in ${sandbox.home}, with a small repository and four sample sessions.`)
  if (!sandbox.hasGit) await out.line('(There is no git here, so the sandbox is a plain folder.)')
  const steps = stepsIn(sandbox)
  await walk(context, sandbox, steps, 1)
  if (sandbox.hasGit) {
    await playCapturedSession(sandbox, sampleTurns, context)
    await walk(context, sandbox, codeSteps, steps.length + 1)
  }
  await serveIt(context, sandbox, steps.length + (sandbox.hasGit ? codeSteps.length : 0) + 1)
  await out.line(`\n${bold('That is it.')} Your own sessions: ${cyan('offshoot sessions --all')}`)
  if (options.keep === true) await out.line(`The sandbox stays: ${cyan(tryCommand(sandbox))}`)
  else await out.line(dim('The sandbox is removed now; --keep leaves it there to play with.'))
}

async function walk(context: Context, sandbox: Sandbox, steps: readonly Step[], from: number): Promise<void> {
  for (const [index, { why, args }] of steps.entries()) {
    await announce(context, from + index, why, `offshoot ${args.join(' ')}`)
    await runCommand(sandboxContext(context, sandbox), args)
  }
}

async function serveIt(context: Context, sandbox: Sandbox, from: number): Promise<void> {
  const own = sandboxContext(context, sandbox)
  try {
    for (const [index, { why, line, run }] of serveStory(own, sandbox).entries()) {
      await announce(context, from + index, why, line)
      await run()
    }
  } finally {
    own.close()
  }
}

async function announce({ out }: Context, number: number, why: string, line: string): Promise<void> {
  const { bold, cyan, dim } = out.colors
  await out.line(`\n${bold(`${number}. ${why}`)}`)
  await out.line(`${dim('$')} ${cyan(line)}\n`)
}

function sandboxContext({ out, now }: Context, { home, vars, repository }: Sandbox): Context {
  return createContext({ home, vars, cwd: repository, now, out })
}

function tryCommand({ vars, repository }: Sandbox): string {
  const set = ['OFFSHOOT_HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME'].map((name) => `${name}='${vars[name]}'`)
  return `cd '${repository}' && ${set.join(' ')} offshoot sessions`
}
