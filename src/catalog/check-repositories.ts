// Corrects, once per database, what earlier versions stored about repositories: they took the word of any `.git` file for it.
import { dirname } from 'node:path'
import { findGitPlace } from '../lib/git-place.ts'
import { statIfThere } from '../lib/git-proof.ts'
import { isWithin, realFolder } from '../lib/within.ts'
import type { CatalogContext } from './context.ts'
import { rehomeSessions } from './rehome.ts'

export async function checkRepositories(context: CatalogContext): Promise<void> {
  const store = context.store()
  const home = realFolder(context.env.home)
  const commonDirAt = (folder: string): string | null => {
    const place = findGitPlace(folder, home)
    return place !== null && 'commonDir' in place && place.top === folder ? place.commonDir : null
  }
  const records = new Map(store.repositories.all().map((record) => [record.id, record]))
  const corrected = [...records.values()].flatMap((record) => {
    // What is not there cannot be asked; what is there and does not confirm the root never had it.
    if (record.root === record.commonDir || statIfThere(record.commonDir) === null) return []
    if (commonDirAt(record.root) === record.commonDir) return []
    const own = dirname(record.commonDir)
    return [{ ...record, root: commonDirAt(own) === record.commonDir ? own : record.commonDir, claimed: false }]
  })
  const forgotten = store.repositories.folders().filter(({ folder, repoId }) => {
    const record = records.get(repoId)
    if (record === undefined || folder === record.commonDir || statIfThere(folder) === null) return false
    return statIfThere(record.commonDir) !== null && commonDirAt(folder) !== record.commonDir && realFolder(folder) === folder
  })
  store.write(() => {
    for (const record of corrected) store.repositories.put(record)
    for (const { folder, repoId } of forgotten) {
      store.repositories.forgetFolder(folder)
      for (const { key, cwd } of store.sessions.list(repoId)) {
        if (cwd !== null && isWithin(cwd, folder)) store.sessions.setRepo(key, null)
      }
    }
    store.meta.set('repositories_checked', 'yes')
  })
  if (forgotten.length > 0) await rehomeSessions(context)
}
