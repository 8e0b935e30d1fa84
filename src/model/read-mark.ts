/** How far a file has been read; see lib/file-mark.ts. */
export interface ReadMark {
  readonly inode: number
  readonly offset: number
  readonly head: string
  readonly tail: string
}
