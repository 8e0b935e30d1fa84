// What the pieces of a text mean to the index, remembered: a run of letters (`readSession`, `naïve`, `--dry-run`) comes again and
// again, and is split into words, stemmed and cut into the model's tokens only the first time. Numbers instead of strings from
// there on. Gives exactly what `splitWords`, `toTerms` and `namesOf` give for the whole text.
import { hashTerm } from '../../store/search-postings.ts'
import { namesOf, toTerms } from '../text/terms.ts'
import { splitWords } from '../text/words.ts'

const other = 0
const runs = new Uint8Array(128)
for (let code = 0; code < 128; code += 1) runs[code] = /[A-Za-z0-9_-]/.test(String.fromCharCode(code)) ? 1 : other

/** Longer ones are hashes and data: they hardly ever come again. */
const longestKept = 48
const firstSlots = 1 << 15
/** Then it is forgotten and made anew: its memory is bounded. */
const maxRuns = 200_000

export class Lexicon {
  /** By number of the term. */
  terms: string[] = []
  hashes: number[] = []
  /** Of every run: how many words, then terms, whole names and tokens of the model, each behind their number. */
  data = new Int32Array(1 << 16)
  /** Where in `data` the runs of the text stand that was read last. */
  found = new Int32Array(1 << 10)
  #numbers = new Map<string, number>()
  #used = 0
  /** By hash: where the run stands, 0 for none. */
  #slots = new Int32Array(firstSlots)
  #runs = 0
  /** Of each run its hash, where its letters begin, how many they are, and its place in `data`. */
  #index = new Int32Array(4 << 12)
  /** The letters of all runs, one behind the other. */
  #letters = new Uint16Array(1 << 16)
  #lettersUsed = 0
  #codes = new Uint16Array(1 << 12)
  readonly #tokensOf: (word: string) => readonly number[]

  constructor(tokensOf: (word: string) => readonly number[]) {
    this.#tokensOf = tokensOf
  }

  get isFull(): boolean {
    return this.#runs >= maxRuns || this.terms.length >= maxRuns || this.#used >= maxRuns * 20
  }

  forget(): void {
    this.terms = []
    this.hashes = []
    this.#numbers = new Map()
    this.#used = 0
    this.#slots = new Int32Array(firstSlots)
    this.#runs = 0
    this.#lettersUsed = 0
  }

  /** Finds the runs of a text, in order; gives how many. */
  read(text: string): number {
    const codes = this.#spell(text)
    const end = text.length
    let count = 0
    let at = 0
    while (at < end) {
      let code = codes[at] as number
      if (code < 128 && runs[code] === other) {
        at += 1
        continue
      }
      const from = at
      let hash = 0x811c9dc5
      do {
        hash = Math.imul(hash ^ code, 0x01000193)
        at += 1
        code = codes[at] as number
      } while (code >= 128 || runs[code] === 1)
      if (count === this.found.length) this.found = twice(this.found)
      this.found[count] = at - from > longestKept ? this.#make(text.slice(from, at)) : this.#find(text, from, at, hash)
      count += 1
    }
    return count
  }

  /** The text as numbers, ended by a zero: asking a string made of pieces for every letter took 0.86 s for 21 MB, this 0.54 s. */
  #spell(text: string): Uint16Array {
    if (this.#codes.length <= text.length) this.#codes = new Uint16Array(text.length * 2 + 2)
    Buffer.from(this.#codes.buffer).write(text, 0, 'utf16le')
    this.#codes[text.length] = 0
    return this.#codes
  }

  #find(text: string, from: number, to: number, hash: number): number {
    const slots = this.#slots
    const index = this.#index
    const mask = slots.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (;;) {
      const run = (slots[slot] as number) - 1
      if (run === -1) return this.#keep(text, from, to, hash, slot)
      const place = run * 4
      if (index[place] === hash && index[place + 2] === to - from && this.#isSame(index[place + 1] as number, from, to)) {
        return index[place + 3] as number
      }
      slot = (slot + 1) & mask
    }
  }

  #isSame(start: number, from: number, to: number): boolean {
    const letters = this.#letters
    const codes = this.#codes
    for (let at = from; at < to; at += 1) if (letters[start + at - from] !== codes[at]) return false
    return true
  }

  #keep(text: string, from: number, to: number, hash: number, slot: number): number {
    const made = this.#make(text.slice(from, to))
    const start = this.#lettersUsed
    if (start + longestKept > this.#letters.length) {
      const larger = new Uint16Array(this.#letters.length * 2)
      larger.set(this.#letters)
      this.#letters = larger
    }
    this.#letters.set(this.#codes.subarray(from, to), start)
    this.#lettersUsed += to - from
    if (this.#runs * 4 === this.#index.length) this.#index = twice(this.#index)
    this.#index.set([hash, start, to - from, made], this.#runs * 4)
    this.#runs += 1
    this.#slots[slot] = this.#runs
    if (this.#runs * 2 > this.#slots.length) this.#spread()
    return made
  }

  #spread(): void {
    const slots = new Int32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let run = 0; run < this.#runs; run += 1) {
      const hash = this.#index[run * 4] as number
      let slot = (hash ^ (hash >>> 15)) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = run + 1
    }
    this.#slots = slots
  }

  #make(text: string): number {
    const words = splitWords(text)
    const place = this.#used
    this.#put(words.length)
    this.#putAll(toTerms(words).map((term) => this.#numberOf(term)))
    this.#putAll(namesOf(text).map((name) => this.#numberOf(name)))
    this.#putAll(words.flatMap(this.#tokensOf))
    return place
  }

  #putAll(values: readonly number[]): void {
    this.#put(values.length)
    for (const value of values) this.#put(value)
  }

  #put(value: number): void {
    if (this.#used === this.data.length) this.data = twice(this.data)
    this.data[this.#used] = value
    this.#used += 1
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const number = this.terms.length
    this.terms.push(term)
    this.hashes.push(hashTerm(term))
    this.#numbers.set(term, number)
    return number
  }
}

/** The same numbers with as much room again. */
export function twice(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
