// `npm run test:random -- --minutes 30`: random scripts against the real CLIs. Seeds are printed; a disagreement is run again and,
// when it is there again, shrunk.
//
//   --minutes N      how long (default 10)          --jobs N      how many scripts at a time (default 2)
//   --agent NAME     one CLI instead of all four    --seed N      just this seed
//   --script TEXT    just this script, by hand      --keep DIR    leaves a copy of the sandbox of a script that fails
//   --verbose        prints each step               --totals      prints what all runs add up to, and runs nothing
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type AgentName, agentNames, drive, type Verdict } from './drive.ts'
import { logRun, logScript, totals } from './log.ts'
import { formatScript, parseScript, type Script, scriptOf } from './script.ts'
import { shrink } from './shrink.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    jobs: { type: 'string', default: '2' },
    seed: { type: 'string' },
    agent: { type: 'string' },
    script: { type: 'string' },
    keep: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    totals: { type: 'boolean', default: false },
    /** Of one job: which run it belongs to, and its first seed. */
    run: { type: 'string' },
    from: { type: 'string' },
  },
})

// Ends by `exit`, where every sandbox ends what it has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const names = agentNames.filter((name) => values.agent === undefined || name === values.agent)
if (names.length === 0) throw new Error(`there is no ${values.agent}; there are ${agentNames.join(', ')}`)
const jobs = Number(values.jobs)
const shrinkTries = 40
/** Other jobs wait for the one that shrinks: what is not small by then stays as it is. */
const shrinkMs = 3 * 60_000

const run = (name: AgentName, script: Script): Promise<Verdict> =>
  drive(name, script, {
    keepAt: values.keep,
    onStep: (step) => values.verbose && console.log(new Date().toISOString(), formatScript([step])),
  })

async function one(name: AgentName, seed: number, script: Script): Promise<Verdict> {
  const verdict = await run(name, script)
  const { ran, fault, ms } = verdict
  console.log(`${name} seed ${seed}: ${fault === null ? 'ok' : fault.kind.toUpperCase()}, ${ran.length} steps, ${ms} ms`)
  if (fault !== null) console.log(`${formatScript(ran)}\n${fault.message}`)
  return verdict
}

const shrunk = new Set<string>()

/** The same disagreement looks the same but for ids, numbers and paths. */
function signature({ kind, message }: NonNullable<Verdict['fault']>): string {
  return `${kind} ${message.replace(/[0-9a-f]{8}-[0-9a-f-]+|\d+|\/\S+/g, '#').slice(0, 160)}`
}

async function report(name: AgentName, { ran, fault }: Verdict): Promise<string> {
  const script = formatScript(ran)
  if (fault === null || fault.kind === 'driver' || shrunk.has(signature(fault))) return script
  shrunk.add(signature(fault))
  const giveUpAt = Date.now() + shrinkMs
  const fails = async (candidate: Script) => Date.now() < giveUpAt && (await drive(name, candidate)).fault?.kind === fault.kind
  if (!(await fails(ran))) {
    console.log('not there again')
    return script
  }
  const small = formatScript(await shrink(ran, { fails, tries: shrinkTries }))
  console.log(`shrunk: npm run test:random -- --agent ${name} --script "${small}"`)
  return small
}

async function work(runId: string, first: number, endAt: number): Promise<void> {
  for (let seed = first; Date.now() < endAt; seed += jobs) {
    const name = names[seed % names.length] as AgentName
    const verdict = await one(name, seed, scriptOf(seed))
    const { ran, fault, ms } = verdict
    const script = await report(name, verdict)
    const told = fault === null ? {} : { message: fault.message.slice(0, 4000), script }
    logScript({ run: runId, agent: name, seed, steps: ran.length, ms, fault: fault?.kind ?? null, ...told })
  }
}

function startJob(runId: string, from: number): Promise<void> {
  const args = [...process.argv.slice(2), '--run', runId, '--from', String(from)]
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' })
  process.once('exit', () => child.kill())
  return new Promise((resolve) => child.on('exit', () => resolve()))
}

if (values.totals) console.log(JSON.stringify(totals(), null, 2))
else if (values.script !== undefined || values.seed !== undefined) {
  const seed = Number(values.seed ?? 0)
  for (const name of names) {
    const { fault } = await one(name, seed, values.script === undefined ? scriptOf(seed) : parseScript(values.script))
    if (fault !== null) process.exitCode = 1
  }
} else if (values.run !== undefined) {
  await work(values.run, Number(values.from), Date.now() + Number(values.minutes) * 60_000)
} else {
  const first = Math.floor(Math.random() * 1_000_000_000)
  const runId = `${first}`
  await Promise.all(Array.from({ length: jobs }, (_, job) => startJob(runId, first + job)))
  const record = logRun(runId)
  console.log(JSON.stringify(record, null, 2))
  if (Object.keys(record.faults).length > 0) process.exitCode = 1
}
