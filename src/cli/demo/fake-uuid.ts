// Ids that look like an agent's and are the same on every run, so that what the demo prints can be written down.

/** A uuid that starts like `like` (a session's id) and ends in a number. */
export function fakeUuid(like: string, number: number): string {
  return `${like.slice(0, 24)}${number.toString(16).padStart(12, '0')}`
}
