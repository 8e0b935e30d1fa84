// `npm run test:random`: random scripts against the real CLIs, for as long as asked.
import { parseArgs } from 'node:util'
import { type AgentName, agentNames, drive } from './drive.ts'
import { formatScript, parseScript, scriptOf } from './script.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    agent: { type: 'string' },
    script: { type: 'string' },
  },
})

const names = values.agent === undefined ? agentNames : agentNames.filter((name) => name === values.agent)
const first = Number(values.seed ?? Date.now() % 1_000_000_000)
const endAt = Date.now() + Number(values.minutes) * 60_000

async function one(name: AgentName, seed: number): Promise<void> {
  const script = values.script === undefined ? scriptOf(seed) : parseScript(values.script)
  const { ran, fault, ms } = await drive(name, script)
  console.log(`${name} seed ${seed}: ${fault === null ? 'ok' : fault.kind} (${ran.length} steps, ${ms} ms) ${formatScript(ran)}`)
  if (fault !== null) console.log(fault.message)
}

for (let seed = first; Date.now() < endAt; seed += 1) {
  for (const name of names) await one(name, seed)
  if (values.seed !== undefined || values.script !== undefined) break
}
