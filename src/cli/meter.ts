// One line on stderr that overwrites itself, for work that takes long. Only for a person, and only after a moment.
import type { Context } from './context.ts'

const redrawMs = 100

/** What takes less needs no meter. */
const quietMs = 1000

export interface Meter {
  show(describe: () => string): void
  clear(): void
}

export function createMeter({ out: { meter }, now }: Context, afterMs = quietMs): Meter {
  const startedAt = now()
  let drawnAt = 0
  return {
    show(describe) {
      const at = now()
      if (meter === null || at - startedAt < afterMs || at - drawnAt < redrawMs) return
      drawnAt = at
      meter.write(`\r\u001b[K${describe()}`)
    },
    clear() {
      if (drawnAt > 0) meter?.write('\r\u001b[K')
      drawnAt = 0
    },
  }
}

export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)
}
