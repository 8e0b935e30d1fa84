// The Agent SDK's own listing and reading: node sdk.mjs list | node sdk.mjs messages <session id> <directory>
import { readFileSync } from 'node:fs'
import { getSessionMessages, listSessions } from '../peers/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs'

const [how, id, dir] = process.argv.slice(2)
const startedAt = performance.now()
const found = how === 'list' ? await listSessions() : await getSessionMessages(id, { dir })
const ms = performance.now() - startedAt
const own = /VmHWM:\s+(\d+) kB/.exec(process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '')
const peakBytes = (own ? Number(own[1]) : process.resourceUsage().maxRSS) * 1024
console.log(JSON.stringify({ ms, count: found.length, peakBytes }))
