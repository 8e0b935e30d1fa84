// What is remembered and shown of a worker's last turn, without secrets: the beginning of its prompt, and why it failed.
import { createRedactor } from '../redact/redact.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { noteLast } from './files.ts'

const redactor = createRedactor()
const inputLength = 500

export async function withoutSecrets(text: string): Promise<string> {
  return redactor.redact(text)
}

/** The turn does not wait for it. */
export function noteInput({ folder }: WorkerContext, { id }: WorkerRecord, prompt: string): void {
  // More than is kept, so that a secret at the cut is recognised as one.
  const note = async () => {
    const clean = await redactor.redact(prompt.slice(0, 2 * inputLength))
    noteLast(folder, id, { input: clean.length > inputLength ? `${clean.slice(0, inputLength - 1)}…` : clean })
  }
  note().catch(() => undefined) // it is only shown
}
