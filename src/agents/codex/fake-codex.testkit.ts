// A program named `codex` that behaves as a test wants it to: what the real one does when it is broken cannot be had on demand.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEnv } from '../agent-env.ts'

/** `body` is JavaScript; `process.argv` and stdin are those of the program. Answers the environment that finds it. */
export function withFakeCodex(env: AgentEnv, body: string): AgentEnv {
  const bin = join(env.home, 'bin')
  mkdirSync(bin, { recursive: true })
  const path = join(bin, 'codex')
  writeFileSync(path, `#!${process.execPath}\n${body}\n`)
  chmodSync(path, 0o755)
  return { ...env, vars: { ...env.vars, PATH: bin } }
}

/** Speaks as the app-server does; `answers` maps a method to its result, `{ error }` refuses, no entry says nothing. */
export function fakeServer(answers: Readonly<Record<string, unknown>>): string {
  return `const answers = ${JSON.stringify(answers)}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined || !(method in answers)) return
  const result = answers[method]
  const said = result.error === undefined ? { id, result } : { id, error: { code: -32600, message: result.error } }
  console.log(JSON.stringify({ method: 'some/notification', params: {} }))
  console.log(JSON.stringify(said))
}).on('close', () => process.exit(0))`
}
