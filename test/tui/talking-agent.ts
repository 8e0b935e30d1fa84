// A stand-in for Claude Code that talks (stream-json) and keeps its session file, and gets into trouble where a prompt asks it to. With a
// child of its own, as a tool call has one: nothing of it may stay behind.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const program = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs')
const { spawn } = require('node:child_process')
const { createInterface } = require('node:readline')
if (process.argv.includes('--version')) { console.log('2.1.325 (Claude Code)'); process.exit(0) }
const { TALK_FILE: file, TALK_FOLDER: folder } = process.env
const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n')
const child = spawn('sleep', ['600'], { stdio: 'ignore' })
appendFileSync(folder + '/pids', process.pid + '\\n' + child.pid + '\\n')
const entries = () => readFileSync(file, 'utf8').trim().split('\\n').map((line) => JSON.parse(line))
const keep = (type, uuid, message) => {
  const like = entries().findLast((entry) => entry.type === type)
  const last = entries().findLast((entry) => entry.uuid !== undefined)
  const at = { timestamp: new Date().toISOString() }
  appendFileSync(file, JSON.stringify({ ...like, ...at, uuid, parentUuid: last.uuid, message: { ...like.message, ...message } }) + '\\n')
}
const delta = (text) => say({ type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text } }, parent_tool_use_id: null })
const answer = (text) => {
  const uuid = require('node:crypto').randomUUID()
  const content = [{ type: 'text', text }]
  keep('assistant', uuid, { id: 'msg_' + uuid, content })
  say({ type: 'assistant', message: { id: 'msg_' + uuid, content }, parent_tool_use_id: null, uuid })
  say({ type: 'result', subtype: 'success', is_error: false, result: text, usage: {} })
}
createInterface({ input: process.stdin }).on('line', (text) => {
  const line = JSON.parse(text)
  if (line.type === 'control_request') return say({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id } })
  if (line.type !== 'user') return
  const prompt = line.message.content
  say({ type: 'system', subtype: 'init', model: 'talking', mcp_servers: [] })
  keep('user', line.uuid, { role: 'user', content: prompt })
  delta('The answer begins ')
  if (prompt.startsWith('stall')) return
  if (prompt.includes('half')) keep('assistant', require('node:crypto').randomUUID(), { id: 'msg_half', content: [{ type: 'text', text: 'The answer begins' }] })
  if (prompt.startsWith('die')) return setTimeout(() => { process.stderr.write('out of luck'); child.kill(); process.exit(7) }, 50)
  const wait = setInterval(() => {
    if (prompt.startsWith('wait') && !existsSync(folder + '/go')) return
    clearInterval(wait)
    answer('The answer begins and ends: ' + prompt)
  }, 20)
}).on('close', () => { child.kill(); process.exit(0) })
`

export interface TalkingAgent {
  /** For the UI: where it is found and what it keeps its session in. */
  readonly vars: Readonly<Record<string, string>>
  /** Every process it ever was, with its children. */
  pids(): readonly number[]
  /** Turns whose prompt begins with \`wait\` end now. */
  letGo(): void
}

/** \`folder\` is where it is put; \`session\` the file of the session one talks in. */
export function makeTalkingAgent(folder: string, session: string, path: string): TalkingAgent {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'claude'), program)
  chmodSync(join(bin, 'claude'), 0o755)
  const pids = join(folder, 'pids')
  return {
    vars: { PATH: `${bin}:${path}`, TALK_FILE: session, TALK_FOLDER: folder },
    pids: () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : []),
    letGo: () => writeFileSync(join(folder, 'go'), ''),
  }
}
