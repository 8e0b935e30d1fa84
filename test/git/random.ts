// Random numbers that come out the same for the same seed (mulberry32).

export interface Random {
  /** 0 <= x < 1. */
  next(): number
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  sample<T>(choices: readonly T[], count: number): T[]
}

export function createRandom(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[below(choices.length)]
    if (choice === undefined) throw new Error('nothing to pick from')
    return choice
  }
  const sample = <T>(choices: readonly T[], count: number): T[] => {
    const rest = [...choices]
    return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(below(rest.length), 1)[0] as T)
  }
  return { next, below, chance: (probability) => next() < probability, pick, sample }
}
