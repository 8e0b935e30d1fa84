// Executable bits, where git is told to look away from them (core.filemode): recorded all the same, if the disk has any. Not by
// telling `git add` to look: it would read such a file anew, by today's attributes, and its bytes did not change.
import { join } from 'node:path'
import { asBytePath, type BytePath, joinRecords } from './byte-path.ts'
import type { Git } from './git.ts'
import { look } from './look.ts'
import type { WorkTree } from './repository.ts'

export async function recordModes(git: Git, { root: cwd, gitDir }: WorkTree, index: string): Promise<void> {
  // A disk that has none shows each file as executable, git's own HEAD too.
  const mode = (await look(join(gitDir, 'HEAD')))?.mode ?? 0o111n
  if (mode & 0o111n) return
  const config = { 'core.filemode': 'true' }
  // Comparing may fail of the filter that adding failed of, which is told already.
  const call = { cwd, index, config, accept: [0, 128] }
  const { stdout } = await git(['diff-files', '--raw', '-z', '--ignore-submodules=all'], call)
  const found = Array.from(stdout.matchAll(/(?:^|\0):100(?:644|755) 100(644|755) \w+ \w+ M\0([^\0]+)/g))
  for (const [bits, flag] of [
    ['755', '--chmod=+x'],
    ['644', '--chmod=-x'],
  ]) {
    const paths: BytePath[] = found.flatMap(([, now, path = '']) => (now === bits ? [asBytePath(path)] : []))
    if (paths.length === 0) continue
    await git(['update-index', flag ?? '', '-z', '--stdin'], { cwd, index, input: joinRecords(paths) })
  }
}
