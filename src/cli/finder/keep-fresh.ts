// The index while the finder is open: brought up to date first, newest sessions first, then kept so as sessions go on.
import type { App } from '../../app.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { IndexProgress } from '../../model/search.ts'
import { watchIndex } from '../../search/watch-index.ts'

export interface KeepFreshOptions {
  /** `null` when the first update is done. */
  readonly onProgress: (progress: IndexProgress | null) => void
  /** There is more to find than before. */
  readonly onGrown: () => void
  /** Searching goes on with what there is. */
  readonly onProblem: (problem: string) => void
}

export function keepFresh(app: App, { onProgress, onGrown, onProblem }: KeepFreshOptions): { close(): Promise<void> } {
  const closing = new AbortController()
  const { signal } = closing

  async function run(): Promise<void> {
    const { sessions, removed } = await app.updateIndex({ signal, onProgress })
    onProgress(null)
    if (sessions + removed > 0) onGrown()
    if (signal.aborted) return
    const watching = await watchIndex(app, { onIndexed: onGrown, onProblem })
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await watching.close()
  }

  const running = run().catch((fault: unknown) => {
    onProgress(null)
    onProblem(errorMessage(fault))
  })
  return {
    close() {
      closing.abort()
      return running
    },
  }
}
