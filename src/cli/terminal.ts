// The person at a terminal: where their keys come from and what they look at. Absent as soon as one of the two is a pipe.
import type { ReadStream, WriteStream } from 'node:tty'

export interface Terminal {
  readonly input: ReadStream
  readonly output: WriteStream
}

/** A terminal that cannot move its cursor is good for reading and typing lines, not for a picker. */
export function canDraw(vars: Readonly<Record<string, string | undefined>>): boolean {
  return vars.TERM !== undefined && vars.TERM !== '' && vars.TERM !== 'dumb'
}

export function findTerminal({ stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>): Terminal | null {
  return stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : null
}
