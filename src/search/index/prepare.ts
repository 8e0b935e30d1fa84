// A turn's messages as what the index stores of them: redacted, cut into chunks, with terms and vectors. Plain data, so that
// threads can do this and hand it over.
import type { Message } from '../../model/session.ts'
import type { Redactor } from '../../redact/redact.ts'
import type { ChunkTexts, IndexedTurn, StoredChunk, TouchedFile } from '../../store/search-index.ts'
import type { StaticModel } from '../embed/static-model.ts'
import { namesOf, toTerms } from '../text/terms.ts'
import { splitWords } from '../text/words.ts'
import { chunkTurn, type Piece } from './chunk-turn.ts'
import { recallTool } from './recall.ts'

export interface PreparedTurn {
  readonly turn: IndexedTurn
  readonly chunks: readonly PreparedChunk[]
  readonly files: readonly TouchedFile[]
}

export interface PreparedChunk {
  readonly stored: StoredChunk
  readonly vector: Float32Array
}

export interface Preparer {
  readonly redactor: Redactor
  readonly model: StaticModel
}

/** What is kept of a turn while it is read: outputs are let go at once. */
export interface CollectedTurn {
  readonly turn: IndexedTurn
  readonly pieces: Piece[]
  readonly files: TouchedFile[]
  toolText: number
}

/** Tool texts of one turn together: a turn that runs for hours calls thousands. */
const maxToolText = 30_000
const maxMessage = 200_000

export function collectMessage(into: CollectedTurn, message: Message, cwd: string | null): void {
  if (message.tool !== undefined) {
    const { text, files } = recallTool(message.tool, cwd)
    into.files.push(...files)
    into.toolText += text.length
    if (into.toolText <= maxToolText) into.pieces.push({ field: 'tools', text: cutWhole(text) })
    return
  }
  const field = fieldOf(message)
  if (field !== null && message.text !== '') into.pieces.push({ field, text: cutWhole(message.text) })
}

/** A summary may be all a session has of what went before it. System messages say the same in every session. */
function fieldOf({ role }: Message): 'prompt' | 'body' | null {
  if (role === 'user') return 'prompt'
  return role === 'system' || role === 'tool' ? null : 'body'
}

/** This comes before redaction, so the cut is at a blank: half a secret would pass. */
function cutWhole(text: string): string {
  if (text.length <= maxMessage) return text
  return text.slice(0, Math.max(text.lastIndexOf(' ', maxMessage), text.lastIndexOf('\n', maxMessage), 0))
}

export async function prepareTurn({ redactor, model }: Preparer, collected: CollectedTurn): Promise<PreparedTurn> {
  const pieces: Piece[] = []
  for (const { field, text } of collected.pieces) pieces.push({ field, text: await redactor.redact(text) })
  const files = new Map<string, boolean>()
  for (const { path, edited } of collected.files) {
    const clean = await redactor.redact(path)
    files.set(clean, edited || files.get(clean) === true)
  }
  return {
    turn: collected.turn,
    chunks: chunkTurn(pieces).map((texts) => prepareChunk(model, texts)),
    files: [...files].map(([path, edited]) => ({ path, edited })),
  }
}

/** With less than this said, what was done has to speak. */
const fewWords = 20

function prepareChunk(model: StaticModel, texts: ChunkTexts): PreparedChunk {
  const words = { prompt: splitWords(texts.prompt), body: splitWords(texts.body), tools: splitWords(texts.tools) }
  const terms = { prompt: toTerms(words.prompt), body: toTerms(words.body), tools: toTerms(words.tools) }
  const names = namesOf(`${texts.prompt}\n${texts.body}\n${texts.tools}`)
  const said = [...words.prompt, ...words.body]
  return {
    stored: {
      ...texts,
      terms: {
        prompt: terms.prompt.join(' '),
        body: terms.body.join(' '),
        tools: terms.tools.join(' '),
        names: names.join(' '),
      },
      counts: { prompt: terms.prompt.length, body: terms.body.length, tools: terms.tools.length },
    },
    vector: model.embedWords(said.length >= fewWords ? said : [...said, ...words.tools]),
  }
}

/** The text another embedder is given for a chunk: what the static model takes. */
export function textToEmbed({ prompt, body, tools }: ChunkTexts): string {
  const said = [prompt, body].filter((text) => text !== '').join('\n')
  return splitWords(said).length >= fewWords ? said : `${said}\n${tools}`.trim()
}
