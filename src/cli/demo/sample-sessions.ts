// The stories the sample sessions tell: parallel tools and a compaction (Claude), a branch of it, an interrupted turn
// (Codex) and a fork of that.
import { createClaudeTranscript } from './claude-transcript.ts'
import { createCodexRollout } from './codex-rollout.ts'

export interface SampleOptions {
  readonly claude: string
  readonly codex: string
  readonly repository: string
  readonly now: number
}

const hour = 3_600_000

export const sampleIds = {
  dueDates: '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7',
  naturalDates: 'b7c41d02-5c1e-4a77-8f0e-92d1c4a5e610',
  storage: '019a84f2-1d6b-7a31-9c55-3f8e21b7d904',
  storageFork: '019a8513-77c0-7e02-b1aa-5d90c3e8f21b',
} as const

export function writeSampleSessions({ claude, codex, repository, now }: SampleOptions): void {
  const dueDates = createClaudeTranscript({ sessionId: sampleIds.dueDates, cwd: repository, startedAt: now - 26 * hour })
  dueDates.prompt('Give every task a due date.')
  dueDates.think('Two files matter: the list itself and its tests. I read both at once.')
  dueDates.use(
    {
      name: 'Read',
      input: { file_path: `${repository}/todo.mjs` },
      result: 'export const add = (list, title) => [...list, { title, done: false }]',
    },
    { name: 'Bash', input: { command: 'ls', description: 'List the files' }, result: 'README.md\ntodo.mjs' },
  )
  dueDates.use({
    name: 'Edit',
    input: { file_path: `${repository}/todo.mjs`, old_string: 'title, done: false', new_string: 'title, due, done: false' },
    result: 'The file has been updated.',
  })
  dueDates.say('Tasks now carry a `due` date:\n\n```js\nadd(list, "write tests", "2026-12-01")\n```')

  const naturalDates = dueDates.branch(sampleIds.naturalDates, 'Due dates in plain words')

  dueDates.prompt('Write tests for it and run them.')
  dueDates.use({ name: 'Bash', input: { command: 'node --test' }, result: '# tests 3\n# pass 3\n# fail 0' })
  dueDates.say('Three tests, all green.')
  dueDates.compact('Summary: tasks have a due date, three tests cover it.')
  dueDates.prompt('Sort the list by due date.')
  dueDates.say('Sorted: tasks without a date come last.')
  dueDates.write(claude)

  naturalDates.prompt('Let people write "tomorrow" or "in two weeks" instead of a date.')
  naturalDates.say('`parseDue("in two weeks")` now gives a date; anything it does not know is refused with an example.')
  naturalDates.write(claude)

  const storage = createCodexRollout({ threadId: sampleIds.storage, cwd: repository, startedAt: now - 5 * hour })
  storage.turn(
    'Where is the list stored?',
    [
      { cmd: 'grep -rn writeFile .', output: '', exitCode: 1 },
      // Put together at run time: a scanner must not mistake this sample for a leak.
      { cmd: 'cat .env', output: `TODO_API_TOKEN=${['demo', '4f9c2e71b8d05a36'].join('-')}`, exitCode: 0 },
    ],
    'Nowhere yet: the list lives in memory only. There is a token for a remote store in `.env`.',
  )
  const fork = storage.fork(sampleIds.storageFork)
  storage.interruptedTurn('Store it in a database.')
  storage.write(codex)

  fork.turn(
    'Store it in a plain file instead.',
    [{ cmd: 'node -e "import(\'./todo.mjs\')"', output: 'ok', exitCode: 0 }],
    'Done: `todo.json`, written beside and renamed, so that it is never half a file.',
  )
  fork.write(codex)
}
