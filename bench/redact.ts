// Taking secrets out of texts, beside secretlint alone: how much of them one core gets through, and what each finds.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lookAlikes } from '../src/redact/look-alikes.testkit.ts'
import { secretShapes } from '../src/redact/shapes.testkit.ts'
import { largeClaudeSession } from './generate/homes.ts'
import { median, report } from './measure.ts'
import { printTable, type Row, rate } from './table.ts'

interface Report {
  readonly times: readonly number[]
  readonly bytes: number
  readonly found: number
  readonly changed: number
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-bench-redact-'))
  try {
    const secrets = secretShapes('bench')
    const corpus = join(folder, 'corpus.json')
    writeFileSync(corpus, JSON.stringify({ secrets, harmless: lookAlikes }))
    const rows: Row[] = []
    let last: readonly [ours: Report, peer: Report] | undefined
    for (const [what, texts] of [
      ['texts of a transcript', transcriptTexts()],
      ['nothing but secrets and look-alikes', denseTexts([...secrets, ...lookAlikes])],
    ] as const) {
      const path = join(folder, 'texts.json')
      writeFileSync(path, JSON.stringify(texts))
      const ours = await report<Report>('redact', ['ours', path, corpus, '9'])
      const peer = await report<Report>('redact', ['secretlint', path, corpus, '2'])
      // The first pass warms up.
      const [ms, peerMs] = [median(ours.times.slice(1)), median(peer.times.slice(1))]
      rows.push({ what, ours: rate(ours.bytes, ms), peer: rate(peer.bytes, peerMs), ratio: peerMs / ms, wanted: null })
      rows.push({
        what: `${what}, beside 20 MB/s`,
        ours: rate(ours.bytes, ms),
        peer: '20 MB/s',
        ratio: ours.bytes / 1000 / ms / 20,
        wanted: 1,
      })
      last = [ours, peer]
    }
    printTable('redact: a core, beside secretlint alone', rows)
    if (last !== undefined) printFound(last[0], last[1], secrets.length)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function printFound(ours: Report, peer: Report, secrets: number): void {
  printTable(`redact: ${secrets} shapes of secrets and ${lookAlikes.length} look-alikes`, [
    { what: 'secrets found', ours: String(ours.found), peer: String(peer.found), ratio: ours.found / secrets, wanted: 1 },
    {
      what: 'look-alikes left as they are',
      ours: String(lookAlikes.length - ours.changed),
      peer: String(lookAlikes.length - peer.changed),
      ratio: 1 - ours.changed / lookAlikes.length,
      wanted: 1,
    },
  ])
}

/** What a generated session says, long texts cut. */
function transcriptTexts(): string[] {
  const texts: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value.length > 20) texts.push(value.slice(0, 20_000))
    } else if (typeof value === 'object' && value !== null) for (const field of Object.values(value)) collect(field)
  }
  for (const line of readFileSync(largeClaudeSession(77).path, 'utf8').split('\n').slice(0, 600)) {
    if (line !== '') collect(JSON.parse(line))
  }
  return texts
}

/** 400 kB of texts of about 4,000 characters. */
function denseTexts(parts: readonly { readonly text: string }[]): string[] {
  const page = parts.map(({ text }) => text).join('\n\n')
  const pages = page.repeat(Math.ceil(4e5 / page.length))
  return Array.from({ length: Math.floor(4e5 / 4000) }, (_, at) => pages.slice(at * 4000, (at + 1) * 4000))
}
