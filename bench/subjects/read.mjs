// Reads every session of a home, once or several times, and reports time and peak memory.
//   node read.mjs <neutral|bare> <claude|codex> <home> <runs>
// `neutral`: the agent's reader, to messages. `bare`: scan and JSON.parse of the same files, what no reader can do without.
import { readFileSync } from 'node:fs'
import { builtinAgents } from '../../dist/agents/index.js'
import { scanLines } from '../../dist/lib/jsonl.js'

const [how, agentId, home, runs] = process.argv.slice(2)
const agent = builtinAgents.find(({ id }) => id === agentId)
const env = { home, vars: {} }
const files = [...agent.discover(env)]

const ways = {
  async neutral(file) {
    let messages = 0
    for await (const entry of agent.read(file, env)) if (entry.kind === 'message') messages += 1
    return messages
  },
  bare(file) {
    let lines = 0
    for (const { buffer, start, end } of scanLines(file.path)) {
      JSON.parse(buffer.toString('utf8', start, end))
      lines += 1
    }
    return lines
  },
}

const times = []
let count = 0
for (let run = 0; run < Number(runs); run += 1) {
  const startedAt = performance.now()
  count = 0
  for (const file of files) count += await ways[how](file)
  times.push(performance.now() - startedAt)
}
const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
// maxRSS also counts the parent's pages at the moment of the fork; VmHWM is this process's own peak.
const own = /VmHWM:\s+(\d+) kB/.exec(process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '')
const peakBytes = (own ? Number(own[1]) : process.resourceUsage().maxRSS) * 1024
console.log(JSON.stringify({ times, count, files: files.length, bytes, peakBytes }))
