// Every file of a work tree with its bytes, whether it can be run, and links as links: to compare two of them file by file.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

export function copyOf(root: string, folder = ''): Record<string, string> {
  const names = readdirSync(join(root, folder)).filter((name) => name !== '.git')
  return Object.fromEntries(
    names.flatMap((name) => {
      const path = join(folder, name)
      const stat = lstatSync(join(root, path))
      if (stat.isSymbolicLink()) return [[path, `-> ${readlinkSync(join(root, path))}`]]
      if (stat.isDirectory()) return Object.entries(copyOf(root, path))
      return [[path, `${stat.mode & 0o111 ? 'x' : '-'} ${readFileSync(join(root, path), 'latin1')}`]]
    }),
  )
}
