import { dirname, join } from 'node:path'

/** The name a workspace's folder has while its files are deleted. Nobody but offshoot knows the id, so the folder is offshoot's. */
export function removingPath({ path, id }: { readonly path: string; readonly id: string }): string {
  return join(dirname(path), `.offshoot-removing-${id}`)
}
