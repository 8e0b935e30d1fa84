// The prompt as it is kept with a snapshot: its first line, without secrets, 200 characters at most.

const maxLength = 200
/** Enough for any secret that begins in the first line. */
const looked = 16_384

export async function briefPrompt(prompt: string | null): Promise<string> {
  if (prompt === null) return ''
  const { createRedactor } = await import('../redact/redact.ts')
  const clean = await createRedactor().redact(prompt.slice(0, looked))
  return firstLine(clean)
}

/** Whole characters: half of a pair would not survive being stored. */
export function firstLine(text: string): string {
  const line = text
    .split(/[\r\n\u2028\u2029]+/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: taking them out is the point
    .map((each) => each.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim())
    .find((each) => each !== '')
  if (line === undefined) return ''
  return line.length <= maxLength ? line : line.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
}
