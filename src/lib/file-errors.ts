// Tells file system faults apart by their code: an absence is expected almost everywhere, anything else is not.

export function fileErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** True when the file, or a folder on the way to it, is not there. */
export function isMissing(error: unknown): boolean {
  const code = fileErrorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
