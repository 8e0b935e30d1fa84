// Work on many files, some at a time.

/** More at once gained nothing: the disk and libuv's four threads are the limit. */
const atOnce = 8

/** All have ended before an error is thrown, and none begins after one: whoever cleans up must not race with the rest. */
export async function eachAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]()
  let stopped = false
  const takeTurns = async () => {
    for (let next = waiting.next(); !next.done && !stopped; next = waiting.next()) {
      await work(next.value).catch((error) => {
        stopped = true
        throw error
      })
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, takeTurns))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
