// What was thrown, in words: anything can be.

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** For a log that keeps the stack. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
