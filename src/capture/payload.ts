// Reads what the agent tells the hook: JSON on stdin, always to its end, so that the agent is never left with a broken pipe.
// By Node's own stream: a plain read waits in a thread, and a thread that waits keeps the process from ending when it must.

/** `null` when it is longer than `maxBytes`. Stdin that never ends is for the caller's time limit. */
export async function readInput(input: AsyncIterable<Buffer>, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let total = 0
  for await (const chunk of input) {
    total += chunk.length
    if (total <= maxBytes) chunks.push(chunk)
  }
  return total > maxBytes ? null : Buffer.concat(chunks).toString('utf8')
}

/** `undefined` for what is not JSON. */
export function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
