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

/** The turn does not wait for it. */
export function noteInput({ folder }: WorkerContext, { id }: WorkerRecord, prompt: string): void {
  // More than is kept, so that a secret at the cut is recognised as one.
  const note = async () => {
    const clean = await withoutSecrets(prompt.slice(0, 2 * inputLength))
    noteLast(folder, id, { input: clean.length > inputLength ? `${clean.slice(0, inputLength - 1)}…` : clean })
  }
  note().catch(() => undefined) // it is only shown
}
