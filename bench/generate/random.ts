// Random numbers that come out the same on every machine, and the text made from them.

export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** Both ends included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  hex(digits: number): string
  uuid(): string
  /** Prose of about this many characters, with the quotes, line ends and other letters that make JSON escape. */
  prose(characters: number): string
  /** Something like source code: many line ends, quotes and tabs. */
  code(characters: number): string
}

const words =
  'the reader walks from a leaf to its root and keeps every message whose parent it has seen so that nothing is lost when two tools end at once; session turn cache index "quoted" über 日本語 handler auth token branch merge commit refactor test failure assert equal expected received stack trace module import export default function return value'.split(
    ' ',
  )
const lines = [
  'export function readSession(path: string, from = 0): Iterable<Line> {',
  "\tconst source = await open(path, 'r')",
  '  if (line.length === 0) continue',
  '\treturn { id, parent: parent ?? null, "kind": \'message\' }',
  '}',
  '',
  '  // Why: the file may still be written to while it is read.',
  '  expect(result).toEqual({ turns: 12, messages: 48 })',
  '    at Object.<anonymous> (/home/dev/work/app/src/reader.test.ts:42:17)',
]

/** mulberry32: tiny, fast, good enough for test data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T
  const hex = (digits: number): string => {
    let text = ''
    while (text.length < digits) text += int(0, 0xffff).toString(16).padStart(4, '0')
    return text.slice(0, digits)
  }
  const join = (pieces: readonly string[], separator: string, characters: number): string => {
    let text = pick(pieces)
    while (text.length < characters) text += separator + pick(pieces)
    return text
  }
  return {
    next,
    int,
    pick,
    hex,
    chance: (probability) => next() < probability,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    prose: (characters) => join(words, ' ', characters),
    code: (characters) => join(lines, '\n', characters),
  }
}
