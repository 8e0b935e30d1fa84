// "Did you mean": the names nearest to one that does not exist.

export function findNearest(wanted: string, names: Iterable<string>, limit = 3): string[] {
  // A third of the letters may differ: beyond that a suggestion is a guess.
  const allowed = Math.max(1, Math.floor(wanted.length / 3))
  return [...new Set(names)]
    .map((name) => ({ name, distance: editDistance(wanted, name.slice(0, wanted.length)) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ name }) => name)
}

export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
