// Makes a failing script smaller. Each try is a run of the real CLI, so this does not use the shrinker of fast-check: it takes away
// runs of steps, longest first, then single steps, and last makes what is left plainer.
import type { Script, Step } from './script.ts'

export interface ShrinkOptions {
  readonly fails: (script: Script) => Promise<boolean>
  /** How many runs it may take. */
  readonly tries: number
}

export async function shrink(script: Script, { fails, tries }: ShrinkOptions): Promise<Script> {
  let best = script
  let left = tries
  async function improve(candidate: Script): Promise<boolean> {
    if (left === 0 || candidate.length === 0) return false
    left -= 1
    if (!(await fails(candidate))) return false
    best = candidate
    return true
  }
  for (let size = Math.floor(best.length / 2); size >= 1; size = Math.floor(size / 2)) {
    // From the end: what a step needs comes before it.
    for (let at = best.length - size; at >= 0; at -= 1) {
      const start = Math.min(at, best.length - size)
      if (start < 0) break
      const isSmaller = await improve([...best.slice(0, start), ...best.slice(start + size)])
      if (isSmaller) at = start
      else if (size > 1) at -= size - 1
    }
  }
  for (const [at, step] of best.entries()) {
    for (const plainer of plainerThan(step)) if (await improve(best.with(at, plainer))) break
  }
  return best
}

const askKinds: ReadonlySet<string> = new Set(['tool', 'parallel', 'failing', 'long', 'think', 'edit', 'subagent', 'refused'])

function plainerThan({ action, pick }: Step): Step[] {
  const plain: Step[] = askKinds.has(action) ? [{ action: 'plain', pick: 0 }] : []
  return pick === 0 ? plain : [...plain, { action, pick: 0 }, ...(pick > 8 ? [{ action, pick: pick % 6 }] : [])]
}
