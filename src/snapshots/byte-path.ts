// Paths as git and the file system have them: bytes, held one byte per character (latin1), relative to a work tree's root.
// Node's own strings are UTF-8 and would turn a name such as `n\xff` into another file's name.

declare const bytes: unique symbol
export type BytePath = string & { readonly [bytes]: true }

/** The records of `-z` output. */
export function splitRecords(output: string): string[] {
  const records = output.split('\0')
  if (records.at(-1) === '') records.pop()
  return records
}

/** For `-z --stdin`. */
export function joinRecords(records: Iterable<string>): string {
  let joined = ''
  for (const record of records) joined += `${record}\0`
  return joined
}

export function asBytePath(latin1: string): BytePath {
  return latin1 as BytePath
}

/** Where it is on disk: file functions of Node take bytes. */
export function placeOf(root: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
}

/** For people and JSON; a byte that is not UTF-8 shows as the replacement character. */
export function showPath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}

/** `d/e` of `d/e/f`; `null` for what lies in the root. */
export function folderOf(path: BytePath): BytePath | null {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? null : asBytePath(path.slice(0, slash))
}
