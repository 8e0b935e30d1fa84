// Takes the secrets out of texts: node redact.mjs <ours|secretlint> <texts.json> <corpus.json> <runs>
import { readFileSync } from 'node:fs'
import { lintOut } from '../../dist/redact/lint.js'
import { createRedactor } from '../../dist/redact/redact.js'

const [how, textsPath, corpusPath, runs] = process.argv.slice(2)
const { redact } = createRedactor()
const clean = { ours: redact, secretlint: lintOut }[how]
const texts = JSON.parse(readFileSync(textsPath, 'utf8'))
const { secrets, harmless } = JSON.parse(readFileSync(corpusPath, 'utf8'))

// Time on the processor, since the question is what one core gets done.
const times = []
for (let run = 0; run < Number(runs); run += 1) {
  const before = process.cpuUsage()
  for (const text of texts) await clean(text)
  const { user, system } = process.cpuUsage(before)
  times.push((user + system) / 1000)
}

let found = 0
for (const { text, secret } of secrets) {
  const left = (await clean(text)).replaceAll(/\[redacted:[\w-]+\]/g, '')
  if (!Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6)).some((piece) => left.includes(piece)))
    found += 1
}
let changed = 0
for (const { text } of harmless) if ((await clean(text)) !== text) changed += 1
const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
console.log(JSON.stringify({ times, bytes, found, changed }))
// secretlint keeps a performance mark for every run and goes through all of them before the process ends: minutes.
process.exit(0)
