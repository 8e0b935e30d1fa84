// Hooks for one run of Codex, by its command line: the definitions, and the hashes without which it skips them. What Codex is to
// run is a file of ours, so that the command stays one that a person can read.
import { join } from 'node:path'
import { editFile } from '../../lib/edit-file.ts'
import { hookLine, quoteWord } from '../hook-command.ts'
import type { HookEntry } from '../hook-settings.ts'
import type { HookCommand } from '../hooks.ts'
import { trustHash, trustKey } from './hook-trust.ts'

/** What Codex (0.142 to 0.166) calls the place of settings that came with the command line. */
const flagsFile = '/<session-flags>/config.toml'

export async function hookFlags(entries: readonly HookEntry[], command: HookCommand, folder: string): Promise<string[]> {
  const script = join(folder, 'run', 'codex-hook.sh')
  await editFile(script, () => `${hookLine(command, 'codex', 'new')}\n`)
  const line = `/bin/sh ${quoteWord(script)}`
  const hooks = entries.map(({ event, timeoutSeconds }) => {
    const handler = `{type="command",command=${JSON.stringify(line)},timeout=${timeoutSeconds}}`
    return `--config=hooks.${event}=[{hooks=[${handler}]}]`
  })
  const trust = entries.map(({ event, timeoutSeconds }) => {
    const hash = trustHash(event, line, timeoutSeconds)
    return `${JSON.stringify(trustKey(flagsFile, event, 0, 0))}={trusted_hash=${JSON.stringify(hash)}}`
  })
  return [...hooks, `--config=hooks.state={${trust.join(',')}}`]
}
