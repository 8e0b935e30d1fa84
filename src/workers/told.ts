// What is remembered and shown of a worker's last turn, without secrets: the beginning of its prompt, and why it failed.
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { noteLast } from './files.ts'

const inputLength = 500

export async function withoutSecrets(text: string): Promise<string> {
  // Loaded when there is something to tell: listing sessions must not wait for the rules.
  const { createRedactor } = await import('../redact/redact.ts')
  return createRedactor().redact(text)
}

/** Never fails, since the text is only shown. A turn need not wait for it; a command that ends soon does. */
export async function noteInput({ folder }: WorkerContext, { id }: WorkerRecord, prompt: string): Promise<void> {
  try {
    // More than is kept, so that a secret at the cut is recognised as one.
    const clean = await withoutSecrets(prompt.slice(0, 2 * inputLength))
    noteLast(folder, id, { input: clean.length > inputLength ? `${clean.slice(0, inputLength - 1)}…` : clean })
  } catch {
    // the next prompt is noted again
  }
}
