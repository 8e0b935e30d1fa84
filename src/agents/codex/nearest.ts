// Keeps the few ids that look most like one that was asked for and does not exist.

const kept = 3

export class Nearest {
  readonly wanted: string
  private readonly best: { readonly id: string; readonly shared: number }[] = []

  constructor(wanted: string) {
    this.wanted = wanted
  }

  offer(id: string): void {
    const shared = sharedPrefix(id, this.wanted)
    const worst = this.best.at(-1)
    if (this.best.length >= kept && worst !== undefined && shared < worst.shared) return
    if (this.best.some((candidate) => candidate.id === id)) return
    // Of equal ones the newest comes first.
    const place = this.best.findIndex((candidate) => candidate.shared <= shared)
    this.best.splice(place === -1 ? this.best.length : place, 0, { id, shared })
    if (this.best.length > kept) this.best.pop()
  }

  candidates(): string[] {
    return this.best.map(({ id }) => id)
  }
}

function sharedPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}
