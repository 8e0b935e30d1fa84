// The rows of a transcript in typed columns. As objects, those of a transcript of 500 MB took 150 MB of memory; columns lie
// outside the collected heap and take a tenth of that. `get` makes an object of one of them when it is needed.
import { noRow, type Origin, type Row, type RowKind } from './row.ts'

const kinds: readonly RowKind[] = ['prompt', 'injected', 'result', 'assistant', 'summary', 'boundary', 'aside', 'queued']
const signs: readonly Row['sign'][] = ['', 'interrupted', 'ended', 'queued', 'command']
const noExitCode = -0x8000_0000
/** Numbers of a row in `#links`. */
const stride = 8
const firstRoom = 64

export class RowTable {
  readonly byUuid = new Map<string, number>()
  readonly #uuids: string[] = []
  readonly #texts = new Map<number, string>()
  readonly #folders = new Map<number, string>()
  readonly #origins = new Map<number, Origin>()
  #numbers = new Float64Array(firstRoom * 2)
  #links = new Int32Array(firstRoom * stride)
  #bits = new Uint8Array(firstRoom * 3)

  get count(): number {
    return this.#uuids.length
  }

  get(at: number): Row | undefined {
    if (at < 0 || at >= this.count) return undefined
    const time = this.#numbers[at * 2 + 1] ?? Number.NaN
    const exitCode = this.#links[at * stride + 4] ?? noExitCode
    const line = this.line(at)
    return {
      uuid: this.uuid(at),
      parent: this.parent(at),
      line,
      lineBytes: this.lineBytes(at),
      idAt: this.idAt(at),
      offset: line + (this.#links[at * stride + 7] ?? 0),
      bytes: this.#links[at * stride + 3] ?? 0,
      kind: this.kind(at),
      group: this.group(at),
      at: Number.isNaN(time) ? null : time,
      messages: this.messages(at),
      passive: this.passive(at),
      calls: this.calls(at),
      direct: this.direct(at),
      exitCode: exitCode === noExitCode ? null : exitCode,
      sign: this.sign(at),
      text: this.#texts.get(at) ?? '',
      cwd: this.#folders.get(at) ?? null,
      origin: this.#origins.get(at) ?? null,
    }
  }

  /** Puts the row at its place: a new one at the end, or over an earlier one. */
  set(at: number, row: Row): void {
    if (at === this.count) this.#makeRoom(at)
    this.#uuids[at] = row.uuid
    this.byUuid.set(row.uuid, at)
    this.#numbers[at * 2] = row.line
    this.#numbers[at * 2 + 1] = row.at ?? Number.NaN
    this.#links[at * stride] = row.parent
    this.#links[at * stride + 1] = row.group
    this.#links[at * stride + 2] = noRow
    this.#links[at * stride + 3] = row.bytes
    this.#links[at * stride + 4] = row.exitCode ?? noExitCode
    this.#links[at * stride + 5] = row.lineBytes
    this.#links[at * stride + 6] = row.idAt
    this.#links[at * stride + 7] = row.offset - row.line
    this.#bits[at * 3] = kinds.indexOf(row.kind)
    this.#bits[at * 3 + 1] = row.messages + (row.passive ? 2 : 0) + (row.calls ? 4 : 0) + (row.direct ? 8 : 0)
    this.#bits[at * 3 + 2] = signs.indexOf(row.sign)
    if (row.text !== '') this.#texts.set(at, row.text)
    if (row.cwd !== null) this.#folders.set(at, row.cwd)
    if (row.origin !== null) this.#origins.set(at, row.origin)
  }

  uuid(at: number): string {
    return this.#uuids[at] ?? ''
  }

  line(at: number): number {
    return this.#numbers[at * 2] ?? 0
  }

  lineBytes(at: number): number {
    return this.#links[at * stride + 5] ?? 0
  }

  idAt(at: number): number {
    return this.#links[at * stride + 6] ?? noRow
  }

  kind(at: number): RowKind {
    return kinds[this.#bits[at * 3] ?? 0] ?? 'aside'
  }

  sign(at: number): Row['sign'] {
    return signs[this.#bits[at * 3 + 2] ?? 0] ?? ''
  }

  messages(at: number): number {
    return (this.#bits[at * 3 + 1] ?? 0) & 1
  }

  passive(at: number): boolean {
    return ((this.#bits[at * 3 + 1] ?? 0) & 2) !== 0
  }

  calls(at: number): boolean {
    return ((this.#bits[at * 3 + 1] ?? 0) & 4) !== 0
  }

  direct(at: number): boolean {
    return ((this.#bits[at * 3 + 1] ?? 0) & 8) !== 0
  }

  time(at: number): number | null {
    const time = this.#numbers[at * 2 + 1] ?? Number.NaN
    return Number.isNaN(time) ? null : time
  }

  origin(at: number): Origin | null {
    return this.#origins.get(at) ?? null
  }

  parent(at: number): number {
    return this.#links[at * stride] ?? noRow
  }

  setParent(at: number, parent: number): void {
    this.#links[at * stride] = parent
  }

  /** Hangs a row on another one than its line names. */
  relink(at: number, parent: number): void {
    this.setParent(at, parent)
    this.#bits[at * 3 + 1] = (this.#bits[at * 3 + 1] ?? 0) & ~8
  }

  group(at: number): number {
    return this.#links[at * stride + 1] ?? noRow
  }

  setGroup(at: number, group: number): void {
    this.#links[at * stride + 1] = group
  }

  /** The next line of the same message, or the next result for it. */
  next(at: number): number {
    return this.#links[at * stride + 2] ?? noRow
  }

  setNext(at: number, next: number): void {
    this.#links[at * stride + 2] = next
  }

  #makeRoom(at: number): void {
    if (at * 2 < this.#numbers.length) return
    this.#numbers = grown(this.#numbers, new Float64Array(at * 4))
    this.#links = grown(this.#links, new Int32Array(at * stride * 2))
    this.#bits = grown(this.#bits, new Uint8Array(at * 6))
  }
}

/** The column with more room. */
export function grown<T extends Float64Array | Int32Array | Uint8Array>(column: T, larger: T): T {
  larger.set(column)
  return larger
}
