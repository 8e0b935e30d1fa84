// What the server and its background process tell each other.
import type { IndexProgress } from '../model/search.ts'
import type { WorkStatus } from './background-work.ts'

export type FromProcess =
  | { readonly kind: 'alive' }
  | { readonly kind: 'status'; readonly status: WorkStatus }
  | { readonly kind: 'progress'; readonly progress: IndexProgress }
  | {
      readonly kind: 'log'
      readonly level: 'info' | 'warn'
      readonly event: string
      readonly fields: Readonly<Record<string, string | number>>
    }

/** `searching`: somebody is. */
export type ToProcess = 'stop' | 'update' | 'searching'

/** How often the process says that it is there. */
export const aliveMs = 5000
