// Whether every session file is as it was when the catalogue was last found complete: told by a few numbers, since to fetch the
// stored sessions and compare them one by one takes a command longer than to find the files.
import type { SessionFile } from '../agents/agent.ts'
import type { Store } from '../store/store.ts'

const key = 'catalog_seen'

/** Of what is stored; taken before files are looked for. */
export function stampOf(store: Store): string {
  return `${store.sessions.stamp()} ${store.archive.stamp()}`
}

/** `names`: stamps of the names that are kept apart from session files. */
export function isSeen(store: Store, stamp: string, files: readonly SessionFile[], names = ''): boolean {
  return store.meta.get(key) === `${stamp} ${hashOf(files)} ${names}`
}

/** These files and what is stored now are the same. */
export function setSeen(store: Store, files: readonly SessionFile[], names = ''): void {
  store.meta.set(key, `${stampOf(store)} ${hashOf(files)} ${names}`)
}

/** What does not show in the stamp is about to change. */
export function forgetSeen(store: Store): void {
  store.meta.set(key, '')
}

const first = 0x811c9dc5
const prime = 0x01000193

/** Two hashes of 32 bits over all that a session is compared by. */
function hashOf(files: readonly SessionFile[]): string {
  let one = first
  let other = first ^ files.length
  const take = (value: number) => {
    one = Math.imul(one ^ value, prime)
    other = Math.imul(other + value, 0x5bd1e995) ^ (other >>> 15)
  }
  const takeLong = (value: number) => {
    take(value | 0)
    take(Math.floor(value / 2 ** 32) | 0)
  }
  const takeText = (text: string) => {
    for (let at = 0; at < text.length; at += 1) take(text.charCodeAt(at))
    take(text.length)
  }
  for (const { agent, path, bytes, modifiedAt, inode, archived, olderPaths } of files) {
    takeText(agent)
    takeText(path)
    takeLong(bytes)
    takeLong(modifiedAt)
    takeLong(inode)
    take(archived ? 1 : 0)
    for (const older of olderPaths) takeText(older)
    take(olderPaths.length)
  }
  return `${one >>> 0} ${other >>> 0}`
}
