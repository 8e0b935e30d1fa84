// What every command prints with --json on the demo's home, compared with what was recorded. `npx vitest run test/golden -u` records.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, createPlace, type Place } from './place.ts'

const plain = 'claude:60309e1e'
const captured = 'claude:4be17d5c'
const rollout = 'codex:019a84f2-1d6b'

let place: Place
beforeAll(async () => {
  place = await createPlace()
}, 60_000)
afterAll(() => place.end())

/** Asked in this order, in one home: forks and what takes them back see what was made before them. */
const groups: Readonly<Record<string, readonly (readonly string[])[]>> = {
  reading: [
    ['sessions'],
    ['sessions', '--all', '--limit', '2'],
    ['sessions', '--agent', 'codex'],
    ['show', plain],
    ['show', `${plain}@1`],
    ['show', `${rollout}@1`, '--tools'],
    ['turns', plain],
    ['turns', plain, '--dead'],
    ['turns', rollout, '--limit', '1'],
    ['turns', captured],
    ['tree'],
    ['tree', plain],
    ['export', plain, '--format', 'json'],
    ['export', rollout, '--format', 'jsonl'],
  ],
  finding: [
    ['index'],
    ['index', '--status'],
    ['search', 'let people type tomorrow'],
    ['search', 'due date', '--explain', '--limit', '2'],
    ['search', '--file', 'todo.mjs'],
    ['search', 'zzzz qqqq'],
    ['smart-fork', 'let people type tomorrow', '--dry-run', '--code', 'none'],
  ],
  planning: [
    ['fork', plain, '--dry-run'],
    ['fork', plain, '--at', '1', '--code', 'now', '--dry-run'],
    ['fork', plain, '--at', '1', '--code', 'head', '--dry-run'],
    ['fork', plain, '--before', '2', '--code', 'none', '--dry-run'],
    ['fork', plain, '--at', '1', '--strategy', 'prefix', '--code', 'none', '--dry-run'],
    ['fork', plain, '--to', 'codex', '--code', 'none', '--dry-run'],
    ['fork', rollout, '--at', '1', '--dry-run', '--code', 'none'],
    ['fork', rollout, '--to', 'claude', '--code', 'none', '--dry-run'],
    ['fork', captured, '--at', '2', '--dry-run'],
    ['fork', captured, '--at', '3', '--code-at', '1', '--prompt', 'go on', '--title', 'Again', '--dry-run'],
    ['start', 'claude', '--dry-run', '--code', 'head'],
    ['restore', `${captured}@2`, '--dry-run'],
    ['gc', '--all', '--dry-run'],
  ],
  making: [
    ['fork', captured, '--at', '2', '--strategy', 'prefix', '--branch', 'golden-1', '--yes'],
    ['fork', plain, '--at', '1', '--strategy', 'prefix', '--code', 'now', '--branch', 'golden-2', '--yes'],
    ['fork', plain, '--to', 'codex', '--strategy', 'seed', '--code', 'none', '--yes'],
    ['fork', rollout, '--to', 'claude', '--strategy', 'seed', '--code', 'none', '--yes'],
    ['fork', rollout, '--at', '1', '--strategy', 'prefix', '--code', 'none', '--yes'],
    ['sessions'],
    ['tree'],
    ['undo'],
    ['restore', `${captured}@2`, '--yes'],
    ['undo'],
    ['gc', '--dry-run'],
    ['gc'],
  ],
  code: [
    ['diff', `${captured}@3`],
    ['diff', `${captured}@1`, `${captured}@3`],
    ['diff', `${captured}@2`, `${captured}@3`, '--', 'store.mjs'],
    ['diff', `${plain}@1`],
  ],
  keeping: [
    ['workers'],
    ['workers', '--all'],
    ['hooks', 'status'],
    ['hooks', 'install'],
    ['hooks', 'status'],
    ['hooks', 'uninstall'],
    ['config', 'list'],
    ['config', 'get', 'search.engine'],
    ['config', 'set', 'server.port', '4888'],
    ['token', 'create', '--scope', 'fork', '--name', 'golden', '--expires', '30d'],
    ['token', 'list'],
    ['token', 'revoke', 'golden'],
  ],
  refusing: [
    ['show', 'nobody'],
    ['show', `${plain}@99`],
    ['turns', 'claude:zzzz'],
    ['fork', `${plain}@99`, '--dry-run'],
    ['fork', plain, '--at', '1', '--code', 'turn', '--dry-run'],
    ['fork', plain, '--strategy', 'native', '--at', '1', '--code', 'none', '--yes'],
    ['sessions', '--limit', 'many'],
    ['sessions', '--agnet', 'claude'],
    ['sesions'],
    ['undo', 'nothing'],
    ['diff', `${captured}@9`],
    ['send', 'nobody', 'hello'],
    ['answer', 'nobody', 'yes'],
    ['stop', 'nobody'],
    ['interrupt', 'nobody'],
    ['config', 'set', 'no.such', '1'],
    ['token', 'revoke', 'nobody'],
    ['restore', `${plain}@1`, '--yes'],
  ],
}

test.each(Object.keys(groups))(
  '%s',
  async (name) => {
    const answers: Record<string, Answer> = {}
    for (const [at, args] of (groups[name] ?? []).entries()) {
      const json = args[0] === 'export' ? args : jsonOf(args)
      answers[`${at + 1}. offshoot ${args.join(' ')}`] = await place.run(json)
    }
    await expect(`${JSON.stringify(answers, null, 1)}\n`).toMatchFileSnapshot(`answers/${name}.json`)
  },
  120_000,
)

/** Behind `--` it would be a path. */
function jsonOf(args: readonly string[]): string[] {
  const end = args.indexOf('--')
  return end === -1 ? [...args, '--json'] : [...args.slice(0, end), '--json', ...args.slice(end)]
}

// What it finds depends on the machine: which checks there are and what a check is made of does not.
test('doctor', async () => {
  const { status, stdout } = await place.run(['doctor', '--json'])
  const { checks } = stdout as { checks: readonly Readonly<Record<string, unknown>>[] }
  expect(status).toBe(0)
  const answer = { keys: Object.keys(stdout as object), checks: checks.map(({ name, id }) => id ?? name) }
  await expect(`${JSON.stringify(answer, null, 1)}\n`).toMatchFileSnapshot('answers/doctor.json')
})
