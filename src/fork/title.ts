// `Fork of X`, and `Fork of X (2)` for the next one: the first name no session and no fork has.

export function forkTitle(parentTitle: string, taken: ReadonlySet<string>): string {
  const title = `Fork of ${parentTitle.trim() || 'untitled session'}`
  if (!taken.has(title)) return title
  let number = 2
  while (taken.has(`${title} (${number})`)) number += 1
  return `${title} (${number})`
}
