// A turn's messages as what the index keeps of them: redacted, cut into chunks, and the files it touched.
import type { Message } from '../../model/session.ts'
import type { Redactor } from '../../redact/redact.ts'
import type { ChunkTexts, IndexedTurn, TouchedFile } from '../../store/search-index.ts'
import { splitWords } from '../text/words.ts'
import { chunkTurn, type Piece } from './chunk-turn.ts'
import { filesTouched, type Recalled, recallTool, tellTool } from './recall.ts'
import { fewWords } from './segment.ts'

/** What is kept of a turn while it is read: outputs are let go at once. */
export interface CollectedTurn {
  readonly turn: IndexedTurn
  /** Where tools are relative to. */
  readonly cwd: string | null
  readonly pieces: (Piece | Recalled)[]
  toolText: number
}

/** Tool texts of one turn together: a turn that runs for hours calls thousands. */
const maxToolText = 30_000
const maxMessage = 200_000

export function collectMessage(into: CollectedTurn, message: Message): void {
  if (message.tool !== undefined) {
    const recalled = recallTool(message.tool)
    for (const words of recalled.words) into.toolText += words.length
    into.pieces.push(into.toolText <= maxToolText ? recalled : { ...recalled, words: [], errors: [] })
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

export interface CleanTurn {
  readonly chunks: readonly ChunkTexts[]
  readonly files: readonly TouchedFile[]
}

export async function prepareTurn(redactor: Redactor, { cwd, pieces }: CollectedTurn): Promise<CleanTurn> {
  const clean: Piece[] = []
  const files = new Map<string, boolean>()
  for (const piece of pieces) {
    if ('field' in piece) {
      clean.push({ field: piece.field, text: await redactor.redact(piece.text) })
      continue
    }
    const recalled = await cleanTool(redactor, piece)
    clean.push({ field: 'tools', text: tellTool(recalled) })
    for (const { path, edited } of filesTouched(recalled, cwd)) files.set(path, edited || files.get(path) === true)
  }
  return { chunks: chunkTurn(clean), files: [...files].map(([path, edited]) => ({ path, edited })) }
}

async function cleanTool({ redact }: Redactor, recalled: Recalled): Promise<Recalled> {
  const paths: string[] = []
  for (const path of recalled.paths) paths.push(await redact(path))
  const errors: string[] = []
  for (const line of recalled.errors) errors.push(await redact(line))
  const words: string[] = []
  for (const field of recalled.words) words.push(await redact(cutWhole(field)))
  return { ...recalled, paths, errors, words }
}

/** The text another embedder is given for a chunk: what the static model takes. */
export function textToEmbed({ prompt, body, tools }: ChunkTexts): string {
  const said = [prompt, body].filter((text) => text !== '').join('\n')
  return splitWords(said).length >= fewWords ? said : `${said}\n${tools}`.trim()
}
