// Searches while somebody types: a moment after the last key, one at a time, and what nobody waits for any more is called off.
import type { SearchAnswer } from '../../model/search.ts'

export interface LiveSearchOptions {
  readonly search: (text: string, signal: AbortSignal) => Promise<SearchAnswer>
  readonly delayMs: number
  readonly onFound: (text: string, answer: SearchAnswer) => void
  readonly onFault: (text: string, fault: unknown) => void
}

export interface LiveSearch {
  /** `at once`: nobody is typing, as at the start and when the index has grown. */
  ask(text: string, when?: 'at once'): void
  close(): void
}

export function createLiveSearch({ search, delayMs, onFound, onFault }: LiveSearchOptions): LiveSearch {
  let wanted: string | null = null
  let running: AbortController | null = null
  let timer: NodeJS.Timeout | undefined

  async function run(): Promise<void> {
    if (wanted === null || running !== null) return
    const text = wanted
    const controller = new AbortController()
    wanted = null
    running = controller
    try {
      const answer = await search(text, controller.signal)
      if (!controller.signal.aborted) onFound(text, answer)
    } catch (fault) {
      if (!controller.signal.aborted) onFault(text, fault)
    } finally {
      running = null
    }
    if (timer === undefined) void run()
  }

  return {
    ask(text, when) {
      wanted = text
      running?.abort()
      clearTimeout(timer)
      timer = setTimeout(
        () => {
          timer = undefined
          void run()
        },
        when === 'at once' ? 0 : delayMs,
      )
    },
    close() {
      wanted = null
      clearTimeout(timer)
      running?.abort()
    },
  }
}
