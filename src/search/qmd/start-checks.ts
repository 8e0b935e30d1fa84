// What must hold before the server keeps a qmd index (SF10): qmd can be used, there are sessions to export, and a place to export
// them to. Each that does not hold says what to do.
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '../../lib/error-message.ts'
import type { Check } from '../../model/catalog.ts'
import type { SearchContext } from '../context.ts'
import { probeQmd } from './probe.ts'
import { createQmd } from './program.ts'

export async function checkPipeline(context: SearchContext, signal?: AbortSignal): Promise<readonly Check[]> {
  return [checkAgents(context), checkExports(context.folder), await checkProgram(context, signal)]
}

/** One agent is enough: nobody must use both. */
function checkAgents({ agents, env }: SearchContext): Check {
  const folders = agents.map((agent) => agent.sessionsFolder(env))
  const there = folders.filter((folder) => existsSync(folder))
  if (there.length > 0) return { id: 'agent-folders', state: 'ok', message: there.join(', '), fix: null }
  return {
    id: 'agent-folders',
    state: 'fail',
    message: `no agent has kept a session yet: there is no ${folders.join(' and no ')}`,
    fix: 'Start an agent once, or set CLAUDE_CONFIG_DIR or CODEX_HOME to where its sessions are; then restart the server.',
  }
}

function checkExports(home: string): Check {
  const folder = join(home, 'index')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return { id: 'export-folder', state: 'ok', message: folder, fix: null }
  } catch (error) {
    const message = `sessions cannot be exported to ${folder}: ${errorMessage(error)}`
    return { id: 'export-folder', state: 'fail', message, fix: `Make ${folder} yours to write, then restart the server.` }
  }
}

/** That it lists its collections shows that it can open its index; those that are missing are made. */
async function checkProgram(context: SearchContext, signal?: AbortSignal): Promise<Check> {
  const probe = await probeQmd(createQmd(context), { signal })
  if (probe.usable) return { id: 'qmd', state: 'ok', message: 'qmd answers', fix: null }
  return { id: 'qmd', state: 'fail', message: probe.message, fix: `${probe.fix.replace(/\.$/, '')}; then restart the server.` }
}
