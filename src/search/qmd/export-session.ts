// One session as the Markdown qmd indexes: who said what, and of tool calls what a person would remember. Everything is redacted,
// written beside its place and put there whole.
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Entry } from '../../agents/reading.ts'
import type { Message, Turn } from '../../model/session.ts'
import type { Redactor } from '../../redact/redact.ts'
import { recallTool, tellTool } from '../index/recall.ts'

/** Not `.md`: qmd must not index what is half written. */
export const partSuffix = '.part'
const maxMessage = 200_000

export interface ExportSource {
  readonly header: string
  readonly entries: AsyncIterable<Entry>
  /** Leading turns that stand in the parent's export already. */
  readonly skipTurns: number
}

/** False when the signal came before the end: then nothing is left behind. */
export async function exportSession(
  path: string,
  source: ExportSource,
  redactor: Redactor,
  signal?: AbortSignal,
): Promise<boolean> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const part = `${path}${partSuffix}`
  const file = openSync(part, 'w', 0o600)
  try {
    writeSync(file, source.header)
    for await (const text of sessionText(source, redactor)) {
      if (signal?.aborted === true) return false
      writeSync(file, text)
    }
    renameSync(part, path)
    return true
  } finally {
    closeSync(file)
    rmSync(part, { force: true })
  }
}

async function* sessionText({ entries, skipTurns }: ExportSource, redactor: Redactor): AsyncGenerator<string> {
  let turns = 0
  for await (const entry of entries) {
    if (entry.kind === 'turn') {
      turns += 1
      // A long session is read in one go otherwise, and no signal gets through.
      await nextTick()
      if (turns > skipTurns) yield turnHeading(entry.turn)
    } else if (entry.kind === 'message' && turns > skipTurns) {
      const text = await messageText(entry.message, redactor)
      if (text !== '') yield `${text}\n\n`
    }
  }
}

/** Without its prompt, which follows. */
function turnHeading({ number, id }: Turn): string {
  return `## Turn ${number ?? id}\n\n`
}

async function messageText({ role, text, tool }: Message, { redact }: Redactor): Promise<string> {
  if (tool !== undefined) {
    const recalled = recallTool(tool)
    const paths = await Promise.all(recalled.paths.map(redact))
    const errors = await Promise.all(recalled.errors.map(redact))
    const words = await Promise.all(recalled.words.map(redact))
    const told = tellTool({ ...recalled, paths, errors, words })
    return `- ${told.replaceAll(/\s+/g, ' ').slice(0, 2000)}`
  }
  // System messages say the same in every session.
  if (role === 'system' || text.trim() === '') return ''
  const clean = (await redact(cutWhole(text))).trim()
  return `**${labels[role]}**\n\n${clean.replaceAll(/^(#{1,6} )/gm, '\\$1')}`
}

const labels = { user: 'User', assistant: 'Assistant', tool: 'Tool', error: 'Error', summary: 'Summary' } as const

/** At a blank: half a secret would not be known as one. */
function cutWhole(text: string): string {
  if (text.length <= maxMessage) return text
  return text.slice(0, Math.max(text.lastIndexOf(' ', maxMessage), text.lastIndexOf('\n', maxMessage), 0))
}
