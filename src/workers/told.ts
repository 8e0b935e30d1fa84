// What is remembered and shown of a worker's last turn, without secrets: the beginning of its prompt, and why it failed.
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { noteLast } from './files.ts'

const inputLength = 500
/** Enough for any secret that begins in what is kept, after others were replaced by shorter words. */
const looked = 16_384

export async function withoutSecrets(text: string): Promise<string> {
  // Loaded when there is something to tell: listing sessions must not wait for the rules.
  const { createRedactor } = await import('../redact/redact.ts')
  return createRedactor().redact(text)
}

/** Never fails, since the text is only shown. A turn need not wait for it; a command that ends soon does. */
export async function noteInput({ folder }: WorkerContext, { id }: WorkerRecord, prompt: string): Promise<void> {
  try {
    const clean = await withoutSecrets(prompt.slice(0, looked))
    noteLast(folder, id, { input: clean.length > inputLength ? `${clean.slice(0, inputLength - 1)}…` : clean })
  } catch {
    // the next prompt is noted again
  }
}
