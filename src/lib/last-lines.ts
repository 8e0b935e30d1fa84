// The end of what a program wrote, for whoever has to be told why it failed.
import { cleanText } from './clean-text.ts'

const mostLines = 6
const mostCharacters = 300

/** Without blank lines and control characters; one line each. Empty where it wrote nothing. */
export function lastLines(text: string): string {
  const lines = cleanText(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !isBacktrace(line))
  return lines
    .slice(-mostLines)
    .map((line) => (line.length > mostCharacters ? `${line.slice(0, mostCharacters - 1)}…` : line))
    .join('\n')
}

/** Programs in Rust print one below their error; without symbols it says nothing, and it would push the error out. */
function isBacktrace(line: string): boolean {
  return /^(Stack backtrace:|\s*\d+: (<unknown>|0x[0-9a-f]+)|\s+at <unknown>)/.test(line)
}
