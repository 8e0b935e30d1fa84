import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runAgentConformance } from '../conformance.ts'
import type { ConformanceSample } from '../conformance-fixture.testkit.ts'
import { claude } from './index.ts'

const folder = join(import.meta.dirname, 'samples')

function sample(name: string, content: Buffer, number: number): ConformanceSample {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  return {
    name,
    content,
    place(home, now) {
      const path = join(home, 'claude', 'projects', '-home-dev-work', `${id}.jsonl`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, now)
      return path
    },
  }
}

const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
const short = readFileSync(join(folder, 'sdk-forkSession-upTo-turn2-2.1.197.jsonl'))

runAgentConformance(claude, {
  env: (home) => ({ home, vars: { CLAUDE_CONFIG_DIR: join(home, 'claude') } }),
  samples: names.map((name, index) => sample(name, readFileSync(join(folder, name)), index + 1)),
  small: sample('the first turn of sdk-forkSession', short.subarray(0, short.indexOf('\n', 5000) + 1), 0),
})
