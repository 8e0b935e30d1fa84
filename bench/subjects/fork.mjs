// Forks one Claude session in this process and reports time and peak memory.
//   node fork.mjs ours <home> <turn id> <new session id> <its directory> | node fork.mjs sdk <session id> <directory> <message id>
import { readFileSync } from 'node:fs'

const [how, ...args] = process.argv.slice(2)

const ways = {
  async ours(home, turnId, sessionId, cwd) {
    const { claude } = await import('../../dist/agents/claude/index.js')
    const env = { home, vars: {} }
    const [file] = claude.discover(env)
    const target = { sessionId, cwd, title: 'A fork', forkedAt: 0 }
    return () => claude.writePrefix(file, env, { kind: 'turn', turnId }, target)
  },
  async sdk(id, dir, upToMessageId) {
    const { forkSession } = await import('../peers/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs')
    return () => forkSession(id, { dir, upToMessageId })
  },
}

const fork = await ways[how](...args)
const startedAt = performance.now()
const { sessionId } = await fork()
const ms = performance.now() - startedAt
const own = /VmHWM:\s+(\d+) kB/.exec(process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '')
const peakBytes = (own ? Number(own[1]) : process.resourceUsage().maxRSS) * 1024
console.log(JSON.stringify({ ms, sessionId, peakBytes }))
