// One watch of the agents' folders, however many listen: each would look through all of them on every change.
import type { SessionChange } from '../model/catalog.ts'
import type { Watching } from './watch.ts'

export type Watch = (onChange: (change: SessionChange) => void) => Promise<Watching>

/** Opened for the first listener, closed after the last. */
export function shareWatch(open: Watch): Watch {
  const listeners = new Set<(change: SessionChange) => void>()
  let watching: Promise<Watching> | undefined
  return async (onChange) => {
    const listener = (change: SessionChange) => onChange(change)
    listeners.add(listener)
    try {
      watching ??= open((change) => {
        for (const each of [...listeners]) each(change)
      })
      await watching
    } catch (error) {
      listeners.delete(listener)
      if (listeners.size === 0) watching = undefined
      throw error
    }
    return {
      async close() {
        listeners.delete(listener)
        if (listeners.size > 0) return
        const last = watching
        watching = undefined
        await (await last)?.close()
      },
    }
  }
}
