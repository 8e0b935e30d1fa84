// Whether an installed service still runs what it should: Node moves when it is upgraded, offshoot when it is installed anew.
import { existsSync } from 'node:fs'

/** In words; `null` when all is well. */
export function findStaleness(argv: readonly string[], now: { readonly node: string; readonly script: string }): string | null {
  const [node = '', script = ''] = argv
  if (!existsSync(node)) return `it runs by ${node}, which is gone`
  if (!existsSync(script)) return `it runs ${script}, which is gone`
  if (script !== now.script) return `it runs another installation: ${script}`
  if (node !== now.node) return `it runs by another Node: ${node}`
  return null
}

/** What `--project` names in it. */
export function projectsOf(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--project')
  return at === -1 ? [] : argv.slice(at + 1)
}
