// `offshoot demo`: builds a sandbox with sample sessions of both agents and walks through reading and forking them, each step with
// the command a person would type. Needs no agent, no network and no terminal, and touches no real home.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, createContext } from '../context.ts'
import { buildSandbox, type Sandbox } from '../demo/sandbox.ts'
import { runCommand } from '../run-command.ts'

export interface DemoOptions {
  readonly keep?: true | undefined
}

interface Step {
  readonly why: string
  readonly args: readonly string[]
}

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
  if (options.keep !== true) context.onExit(() => rmSync(folder, { recursive: true, force: true }))
  const { out } = context
  const { bold, cyan, dim } = out.colors
  const sandbox = await buildSandbox(folder, context.vars.PATH ?? '', context.now())
  await out.line(`${bold('offshoot demo')}: a sandbox in ${sandbox.home}, with a small repository and four sample sessions.`)
  if (!sandbox.hasGit) await out.line('(There is no git here, so the sandbox is a plain folder.)')
  for (const [index, { why, args }] of stepsIn(sandbox).entries()) {
    await out.line(`\n${bold(`${index + 1}. ${why}`)}`)
    await out.line(`${dim('$')} ${cyan(`offshoot ${args.join(' ')}`)}\n`)
    await runCommand(sandboxContext(context, sandbox), args)
  }
  await out.line(`\n${bold('That is it.')} Your own sessions: ${cyan('offshoot sessions --all')}`)
  if (options.keep === true) await out.line(`The sandbox stays: ${cyan(tryCommand(sandbox))}`)
  else await out.line(dim('The sandbox is removed now; --keep leaves it there to play with.'))
}

function sandboxContext({ out, now }: Context, { home, vars, repository }: Sandbox): Context {
  return createContext({ home, vars, cwd: repository, now, out })
}

function tryCommand({ vars, repository }: Sandbox): string {
  const set = ['OFFSHOOT_HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME'].map((name) => `${name}='${vars[name]}'`)
  return `cd '${repository}' && ${set.join(' ')} offshoot sessions`
}
