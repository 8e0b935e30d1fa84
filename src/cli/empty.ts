// What to say when there is nothing to list: never just nothing, always the next thing to type.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionQuery } from '../model/catalog.ts'
import type { Context } from './context.ts'

export async function explainNoSessions(context: Context, query: SessionQuery): Promise<void> {
  const { out } = context
  const elsewhere = (await (await context.app()).listSessions()).length
  if (elsewhere > 0) {
    const what = query.agent === undefined ? 'sessions' : `${query.agent} sessions`
    const where = query.repo === undefined ? '' : ` in this repository (${query.repo})`
    out.note(`No ${what}${where}.`)
    out.note(`There ${elsewhere === 1 ? 'is 1 session' : `are ${elsewhere} sessions`} elsewhere: offshoot sessions --all`)
    return
  }
  out.note('No sessions yet. offshoot reads what coding agents keep on this machine:')
  for (const [label, folder, variable] of [
    ['Claude Code', join(context.paths.claude, 'projects'), 'CLAUDE_CONFIG_DIR'],
    ['Codex', join(context.paths.codex, 'sessions'), 'CODEX_HOME'],
  ] as const) {
    out.note(
      `  ${label.padEnd(12)} ${folder}${existsSync(folder) ? ' (there, but empty)' : ` (not there; set ${variable} if it is elsewhere)`}`,
    )
  }
  out.note('Use an agent once and its sessions show up here. To see offshoot at work right now: offshoot demo')
}
