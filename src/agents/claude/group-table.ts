// The assistant messages of a transcript in typed columns, as row-table.ts holds its rows.
import { type Group, noRow } from './row.ts'
import { grown, type RowTable } from './row-table.ts'

const firstRoom = 32

/** What the lines of a message say together. */
export type GroupFacts = Omit<Group, 'rows' | 'results'>

/** Assistant messages; their lines and results are chained through the rows. */
export class GroupTable {
  readonly #rows: RowTable
  readonly #lastTools: string[] = []
  #ends = new Int32Array(firstRoom * 4)
  #counts = new Float64Array(firstRoom * 4)
  #bits = new Uint8Array(firstRoom)

  constructor(rows: RowTable) {
    this.#rows = rows
  }

  get count(): number {
    return this.#lastTools.length
  }

  get(at: number): Group | undefined {
    if (at < 0 || at >= this.count) return undefined
    const ends = { rows: this.#ends[at * 4] ?? noRow, results: this.#ends[at * 4 + 2] ?? noRow }
    return { rows: this.#chain(ends.rows), results: this.#chain(ends.results), ...this.facts(at) }
  }

  facts(at: number): GroupFacts {
    const bits = this.#bits[at] ?? 0
    return {
      text: (bits & 1) !== 0,
      wantsTool: (bits & 2) !== 0,
      error: (bits & 4) !== 0,
      synthetic: (bits & 8) !== 0,
      tools: this.tools(at),
      lastTool: this.#lastTools[at] ?? '',
      inputTokens: this.#counts[at * 4 + 1] ?? 0,
      cachedInputTokens: this.#counts[at * 4 + 2] ?? 0,
      outputTokens: this.#counts[at * 4 + 3] ?? 0,
    }
  }

  tools(at: number): number {
    return at < 0 ? 0 : (this.#counts[at * 4] ?? 0)
  }

  /** A new message without lines. */
  add(): number {
    const at = this.count
    if (at >= this.#bits.length) {
      this.#ends = grown(this.#ends, new Int32Array(at * 8))
      this.#counts = grown(this.#counts, new Float64Array(at * 8))
      this.#bits = grown(this.#bits, new Uint8Array(at * 2))
    }
    this.#lastTools.push('')
    this.#ends.fill(noRow, at * 4, at * 4 + 4)
    return at
  }

  /** Adds a line: what it says comes on top of what is known, but its usage replaces that of the lines before. */
  addLine(at: number, row: number, line: GroupFacts): void {
    const bits = (this.#bits[at] ?? 0) & 7
    const tools = this.tools(at)
    this.addRow(at, row)
    this.set(at, line)
    this.#counts[at * 4] = tools + line.tools
    this.#bits[at] = (this.#bits[at] ?? 0) | bits
  }

  set(at: number, facts: GroupFacts): void {
    this.#bits[at] = (facts.text ? 1 : 0) | (facts.wantsTool ? 2 : 0) | (facts.error ? 4 : 0) | (facts.synthetic ? 8 : 0)
    this.#counts[at * 4] = facts.tools
    this.#counts[at * 4 + 1] = facts.inputTokens
    this.#counts[at * 4 + 2] = facts.cachedInputTokens
    this.#counts[at * 4 + 3] = facts.outputTokens
    if (facts.lastTool !== '') this.#lastTools[at] = facts.lastTool
  }

  addRow(at: number, row: number): void {
    this.#append(at * 4, row)
  }

  addResult(at: number, row: number): void {
    this.#append(at * 4 + 2, row)
  }

  #append(first: number, row: number): void {
    const last = this.#ends[first + 1] ?? noRow
    if (last === noRow) this.#ends[first] = row
    else this.#rows.setNext(last, row)
    this.#ends[first + 1] = row
  }

  #chain(first: number): number[] {
    const chain: number[] = []
    for (let at = first; at !== noRow; at = this.#rows.next(at)) chain.push(at)
    return chain
  }
}
