// A stand-in for the program `claude` in unit tests: a script in Node that speaks stream-json as badly as a test asks it to.
// What it does is said by the prompt; the real CLI is used in test/real.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEnv } from '../agent-env.ts'

const program = `#!${process.execPath}
const { appendFileSync, mkdirSync } = require('node:fs')
const { createInterface } = require('node:readline')
const id = (process.argv.join(' ').match(/--session-id=(\\S+)/) ?? [])[1]
const folder = process.env.FAKE_FOLDER
mkdirSync(folder, { recursive: true })
if (process.env.FAKE_FAULT) { process.stderr.write(process.env.FAKE_FAULT); process.exit(3) }
const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n')
const keep = (line) => appendFileSync(folder + '/' + id + '.jsonl', JSON.stringify(line) + '\\n')
const result = (more) => (running = null, say({ subtype: 'success', is_error: false, result: '', usage: {}, ...more, type: 'result' }))
const init = () => say({ type: 'system', subtype: 'init', model: 'fake', mcp_servers: [] })
const assistant = (uuid, content, more) => say({ type: 'assistant', message: { id: 'm' + uuid, content }, parent_tool_use_id: null, uuid, ...more })
let stubborn = false
let running = null
const stop = () => { if (running !== null) result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' }) }
process.on('SIGTERM', () => { if (!stubborn) process.exit(143) })
createInterface({ input: process.stdin }).on('line', (text) => {
  const line = JSON.parse(text)
  appendFileSync(folder + '/received', text + '\\n')
  if (line.type === 'control_request') {
    if (line.request.subtype !== 'interrupt' || stubborn) return
    say({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id } })
    return running === 'sluggish' ? setTimeout(stop, 3500) : stop()
  }
  if (line.type === 'control_response') return setTimeout(() => { appendFileSync(folder + '/received', '{"type":"its result"}\\n'); result() }, 200)
  const prompt = line.message.content
  if (prompt === 'die') { process.stderr.write('a last word'); process.exit(7) }
  init()
  if (prompt !== 'late') keep({ uuid: line.uuid })
  running = prompt
  if (prompt === 'hang' || prompt === 'sluggish') return
  if (prompt === 'stubborn') { stubborn = true; setInterval(() => {}, 1000); return }
  if (prompt === 'ask') return say({ type: 'control_request', request_id: 'q1', request: { subtype: 'mcp_message' } })
  if (prompt === 'late') { keep({ uuid: line.uuid }); assistant('late-1', [{ type: 'text', text: 'x' }]); result(); return setTimeout(() => keep({ uuid: 'late-1' }), 300) }
  if (prompt === 'junk') {
    process.stdout.write('not json\\n[1]\\n\\n{"type":"unheard_of"}\\n{"type":"system","subtype":"new_thing"}\\n{"type":"assistant"}\\n{"type":"user","message":null}\\n{"type":"stream_event"}\\n')
    keep({ uuid: 'junk-1' })
    const bytes = Buffer.from(JSON.stringify({ type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'ünï 🦊' }] }, parent_tool_use_id: null, uuid: 'junk-1' }) + '\\n')
    let at = 0
    const step = () => { if (at >= bytes.length) return result({ usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3, output_tokens: 4 } }); process.stdout.write(bytes.subarray(at, (at += 7)), () => setImmediate(step)) }
    return step()
  }
  if (prompt === 'uninvited') {
    result()
    return setTimeout(() => { init(); say({ type: 'control_request', request_id: 'q2', request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'x' } } }) }, 50)
  }
  result()
}).on('close', () => { if (!stubborn) process.exit(0) })
`

export interface FakeClaude {
  readonly env: AgentEnv
  readonly cwd: string
  /** Where it leaves the session's file and what it received. */
  readonly folder: string
  remove(): void
}

export function createFakeClaude(): FakeClaude {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-fake-claude-')))
  const bin = join(root, 'bin')
  const cwd = join(root, 'work')
  const folder = join(root, 'home', '.claude', 'projects', 'somewhere')
  for (const path of [bin, cwd]) mkdirSync(path, { recursive: true })
  const file = join(bin, 'claude')
  writeFileSync(file, program)
  chmodSync(file, 0o755)
  const vars = { PATH: `${bin}:/usr/bin:/bin`, FAKE_FOLDER: folder }
  return { env: { home: join(root, 'home'), vars }, cwd, folder, remove: () => rmSync(root, { recursive: true, force: true }) }
}
