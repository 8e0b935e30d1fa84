// Goes through all lines of a file as text: node lines.mjs <ours|ours-bytes|readline|split> <path> <runs>
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { scanLines } from '../../dist/lib/jsonl.js'

const [how, path, runs] = process.argv.slice(2)

const ways = {
  'ours-bytes'() {
    let characters = 0
    for (const { start, end } of scanLines(path)) characters += end - start
    return characters
  },
  ours() {
    let characters = 0
    for (const { buffer, start, end } of scanLines(path)) characters += buffer.toString('utf8', start, end).length
    return characters
  },
  async readline() {
    let characters = 0
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY }))
      characters += line.length
    return characters
  },
  split() {
    let characters = 0
    for (const line of readFileSync(path, 'utf8').split('\n')) characters += line.length
    return characters
  },
}

const times = []
let characters = 0
for (let run = 0; run < Number(runs); run += 1) {
  const startedAt = performance.now()
  characters = await ways[how]()
  times.push(performance.now() - startedAt)
}
console.log(JSON.stringify({ times, characters, bytes: statSync(path).size }))
