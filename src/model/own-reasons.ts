// The reasons that offshoot itself gives an agent for a refusal, apart from what a user writes. Pure.

export const ownReasons = {
  nobodyToAsk: 'Nobody is there to be asked.',
  noPermissions: 'Not allowed: this worker runs without permissions.',
  notListed: 'Not allowed: it is not on the list of what this worker may do.',
} as const

const all: ReadonlySet<string> = new Set(Object.values(ownReasons))

export function isOwnReason(reason: string): boolean {
  return all.has(reason)
}
