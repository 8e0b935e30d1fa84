// `offshoot fork` the way a person uses it: the real agent opens in the same terminal, is typed into, suspended, left.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { acceptDialogs } from '../claude/run.ts'
import { execNew } from '../codex/exec.ts'
import { openTerminal, type Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'
import { type AppBench, createAppBench } from './app-bench.ts'

const bin = fileURLToPath(new URL('../../../bin/offshoot.js', import.meta.url))

test.each(['2.1.325', '2.1.197'] as const)('Claude Code %s opens here', { timeout: 120_000 }, async (version) => {
  const bench = await createAppBench(version, '0.166.0')
  try {
    const { claude, app } = bench
    const parent = await claude.talk(['first prompt', 'second prompt'])
    acceptDialogs(claude.sandbox, claude.sandbox.work)
    const shell = await openShell(bench)

    await shell.submit(`offshoot fork ${parent} --code none --yes`)
    await say(bench, shell, 'natively at the tip')
    const native = await claude.api.waitForPrompt('natively at the tip')
    expect(native.sessionId).not.toBe(parent)
    expect(JSON.stringify(native.messages)).toContain('second prompt')
    shell.key('C-z')
    await shell.waitFor(/Stopped[\s\S]*READY$/)
    await shell.submit('clear; fg')
    await shell.waitFor(/^[❯>] *$/m)
    await leave(shell)
    await shell.waitFor('the conversation read back is the one that was to be kept')
    const [made] = await app.listForks()
    expect(made).toMatchObject({ fork: { sessionId: native.sessionId, strategy: 'native' }, proof: { prefixVerified: true } })

    await shell.submit(`clear; offshoot fork ${parent} --at 1 --code none --yes`)
    await say(bench, shell, 'by prefix at turn 1')
    const prefix = await claude.api.waitForPrompt('by prefix at turn 1')
    expect(JSON.stringify(prefix.messages)).toContain('first prompt')
    expect(JSON.stringify(prefix.messages)).not.toContain('second prompt')
    await leave(shell)
    await shell.waitFor(/To undo this fork[^\n]*\n+(READY\s*)+$/)
    const [root] = await app.tree((await app.resolve(parent)).session)
    const kinds = root?.children.map(({ forkKind, atTurn }) => `${forkKind} at turn ${atTurn}`)
    expect(kinds?.sort()).toEqual(['native at turn 2', 'prefix at turn 1'])
    await shell.submit('clear; offshoot undo')
    await shell.waitFor('the session was continued')
  } finally {
    await bench.dispose()
  }
})

test.each(['2.1.325', '2.1.197'] as const)(
  'a prompt that is not to be sent waits in the composer of Claude Code %s',
  { timeout: 120_000 },
  async (version) => {
    const bench = await createAppBench(version, '0.166.0')
    try {
      const { claude } = bench
      const parent = await claude.talk(['first prompt', 'second prompt'])
      acceptDialogs(claude.sandbox, claude.sandbox.work)
      const shell = await openShell(bench)
      const before = claude.api.requests.length
      await shell.submit(`offshoot fork ${parent} --before 2 --code none --yes --prompt '/odd: "$HOME" and more'`)
      await shell.waitFor(/^[❯>].\/odd: "\$HOME" and more/m)
      expect(claude.api.requests.length).toBe(before)
      shell.key('C-u')
      await say(bench, shell, 'said instead')
      expect(JSON.stringify(claude.api.requests.at(-1)?.messages)).not.toContain('second prompt')
      await leave(shell)
    } finally {
      await bench.dispose()
    }
  },
)

test('a prompt that is not to be sent is printed where Codex opens', { timeout: 120_000 }, async () => {
  const bench = await createAppBench('2.1.325', '0.166.0')
  try {
    const { codex } = bench
    const parent = await execNew(codex, 'first prompt')
    const shell = await openShell(bench)
    await shell.submit(`offshoot fork ${parent} --code none --yes --prompt 'Do it otherwise'`)
    const shown = await shell.waitFor('press Enter to open the fork')
    expect(shown).toMatch(/not sent; copy it from here:\s+Do it otherwise\n/)
    shell.key('Enter')
    await shell.waitFor(/^› .*\n(.*\n)*.*gpt-5\.5 default/im)
    expect(codex.api.requests).toHaveLength(1)
    shell.key('C-c')
    await shell.waitFor('To undo this fork')
  } finally {
    await bench.dispose()
  }
})

async function openShell({ claude, vars }: AppBench): Promise<Terminal> {
  if (!existsSync(fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))))
    throw new Error('build first: npm run build')
  const { sandbox } = claude
  const rc = join(sandbox.root, 'rc')
  writeFileSync(rc, `PS1='READY '\nexport PATH='${vars.PATH}'\noffshoot() { '${process.execPath}' '${bin}' "$@"; }\n`)
  const shell = openTerminal(sandbox, { argv: ['bash', '--rcfile', rc, '-i'], cwd: sandbox.work, env: vars })
  await shell.waitFor('READY')
  return shell
}

async function say({ claude }: AppBench, shell: Terminal, prompt: string): Promise<void> {
  await shell.waitFor(/^[❯>] *$/m)
  await shell.submit(prompt)
  await claude.api.waitForPrompt(prompt)
  await shell.waitFor(`Answer to: ${prompt}`)
  await shell.waitFor(/^[❯>] *$/m)
}

/** It loses an Enter now and then while it lists the commands: a person presses it again. */
async function leave(shell: Terminal): Promise<void> {
  await shell.type('/exit')
  let pressedAt = 0
  const isOver = () => {
    if (/READY$/.test(shell.screen())) return true
    if (Date.now() - pressedAt < 5000) return false
    pressedAt = Date.now()
    shell.key('Enter')
    return false
  }
  await waitUntil('the shell', isOver, { describe: shell.screen })
}
