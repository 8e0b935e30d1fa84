// A session whose code is captured: what an agent with hooks does, without an agent. Files change in the sandbox's repository, and the
// real hook program is run at the beginning and the end of every turn.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exec } from '../../lib/exec.ts'
import { createClaudeTranscript } from './claude-transcript.ts'
import { fakeUuid } from './fake-uuid.ts'
import type { Sandbox } from './sandbox.ts'

export interface PlayedTurn {
  readonly prompt: string
  readonly answer: string
  /** New contents by path; `null` removes the file. */
  readonly files: Readonly<Record<string, string | null>>
}

const capturedId = '4be17d5c-2f0a-4c63-9a1e-70d2c9b8e5f1'

const program = fileURLToPath(new URL('../../../bin/hook.js', import.meta.url))
const hookTimeoutMs = 30_000

/** Oldest first. What a person would see of it: three turns, the last of which is regretted. */
export const sampleTurns: readonly PlayedTurn[] = [
  {
    prompt: 'Keep the list in a file.',
    answer: '`store.mjs` reads and writes `todo.json`.',
    files: {
      'store.mjs': `import { readFileSync, writeFileSync } from 'node:fs'

export const load = () => JSON.parse(readFileSync('todo.json', 'utf8'))
export const save = (list) => writeFileSync('todo.json', JSON.stringify(list))
`,
    },
  },
  {
    prompt: 'Write a test for it.',
    answer: 'One test: what is saved is what is loaded.',
    files: {
      'store.test.mjs': `import assert from 'node:assert'
import { load, save } from './store.mjs'

save([{ title: 'x', done: false }])
assert.equal(load().length, 1)
`,
    },
  },
  {
    prompt: 'Use a database instead.',
    answer: 'The list is in SQLite now; the old test went with the file.',
    files: {
      'store.mjs': `import Database from 'better-sqlite3'

const db = new Database('todo.db')
export const load = () => db.prepare('SELECT * FROM tasks').all()
`,
      'store.test.mjs': null,
    },
  },
]

export async function playCapturedSession(
  { home: _, repository: cwd, vars }: Sandbox,
  turns: readonly PlayedTurn[],
  { sessionId = capturedId, now }: { readonly sessionId?: string; readonly now: () => number },
): Promise<void> {
  const transcript = createClaudeTranscript({ sessionId, cwd, startedAt: now() - turns.length * 60_000 })
  const claude = vars.CLAUDE_CONFIG_DIR ?? ''
  const hook = async (fields: Readonly<Record<string, unknown>>) => {
    const input = JSON.stringify({ session_id: sessionId, transcript_path: transcript.write(claude), cwd, ...fields })
    await exec(process.execPath, [program, 'claude'], { cwd, env: vars, timeoutMs: hookTimeoutMs, input })
  }
  for (const [at, { prompt, answer, files }] of turns.entries()) {
    const promptId = fakeUuid(sessionId, 0xf000 + at)
    await hook({ hook_event_name: 'UserPromptSubmit', prompt_id: promptId, prompt })
    transcript.prompt(prompt, promptId)
    for (const [path, content] of Object.entries(files)) change(join(cwd, path), content)
    transcript.say(answer)
    await hook({ hook_event_name: 'Stop', prompt_id: promptId })
  }
}

function change(path: string, content: string | null): void {
  if (content === null) {
    rmSync(path)
    return
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
