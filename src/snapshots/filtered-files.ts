// Files an external filter stands between and their blobs: mostly the filter gives back what it took, and there is nothing to
// keep. Not all do (one that strips a notebook's output), nor when the filter came after the file. Found out by trying.
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { anySize, loadRegular } from '../lib/regular-file.ts'
import { joinRecords, placeOf } from './byte-path.ts'
import type { Git } from './git.ts'
import type { SeenFile } from './index-compare.ts'
import type { WorkTree } from './repository.ts'

/** Larger ones are left to their filter: reading them twice at each turn would be felt. */
const maxBytes = 8 * 1024 * 1024

/** Those of the files that came into their blob as they are: the filter came later, and would give back something else. */
export async function findUnfiltered({ root, hashBytes }: WorkTree, files: readonly SeenFile[]): Promise<SeenFile[]> {
  const unfiltered: SeenFile[] = []
  for (const file of files) {
    if (file.sizeBytes > maxBytes) continue
    const bytes = await loadRegular(placeOf(root, file.path), anySize).catch(() => null)
    if (bytes === null) continue
    const hash = createHash(hashBytes === 32 ? 'sha256' : 'sha1').update(`blob ${bytes.length}\0`)
    if (hash.update(bytes).digest('hex') === file.blob) unfiltered.push(file)
  }
  return unfiltered
}

/** Those of the files that checkout would write otherwise than they lie there. */
export async function findUnfaithful(git: Git, root: string, index: string, files: readonly SeenFile[]): Promise<SeenFile[]> {
  const small = files.filter(({ sizeBytes }) => sizeBytes <= maxBytes)
  if (small.length === 0) return []
  const folder = `${index}.checkout`
  await rm(folder, { recursive: true, force: true })
  try {
    const args = ['checkout-index', '--quiet', '--force', `--prefix=${folder}/`, '-z', '--stdin']
    // A filter that fails leaves no file, which is not the one that lies there either.
    const input = joinRecords(small.map(({ path }) => path))
    await git(args, { cwd: root, index, input, accept: [0, 1, 128], ofRepository: true })
    const unfaithful: SeenFile[] = []
    for (const file of small) {
      const [written, own] = await Promise.all(
        [folder, root].map((place) => loadRegular(placeOf(place, file.path), anySize).catch(() => null)),
      )
      if (own && !(written && own.equals(written))) unfaithful.push(file)
    }
    return unfaithful
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
