// `offshoot mcp`: the MCP server of one agent's session, over stdin and stdout. Nothing but the protocol goes to stdout; what there
// is to say goes to the log. It works on its own, also where `offshoot serve` runs: the roots of that one are not the caller's.
import type { App } from '../../app.ts'
import type { GuardedApp } from '../../guarded-app.ts'
import { nameParameter } from '../../model/option-names.ts'
import { cleanLog } from '../../redact/clean-log.ts'
import { serveMcpStdio } from '../../server/mcp/stdio.ts'
import { createRefusalLog } from '../../server/refusals.ts'
import type { Context } from '../context.ts'
import { findRoots } from '../roots.ts'
import { readVersion } from '../version.ts'

export interface McpOptions {
  readonly project?: readonly string[] | undefined
}

export async function runMcp(context: Context, options: McpOptions): Promise<void> {
  const { home, vars, now, cwd } = context
  let guarded: Promise<GuardedApp> | undefined
  let app: App | undefined
  const open = async (): Promise<GuardedApp> => {
    app = await context.app(nameParameter)
    const { guardApp } = await import('../../guarded-app.ts')
    return guardApp(app, {
      roots: await findRoots(context, app, options.project ?? []),
      surface: 'mcp',
      home,
      now,
      onRefusal: createRefusalLog({ folder: context.paths.logs, now }),
    })
  }
  const server = serveMcpStdio({
    guarded() {
      guarded ??= open().catch((error: unknown) => {
        guarded = undefined // what was in the way may be gone with the next call
        throw error
      })
      return guarded
    },
    env: { home, vars, now },
    version: readVersion(),
    cwd,
    log: cleanLog(context.log),
  })
  await Promise.race([server.ended, asked(context)])
  await server.close()
  await app?.shutDown()
}

/** Claude ends its servers with SIGINT, Codex with SIGTERM or by closing stdin. */
function asked(context: Context): Promise<void> {
  return new Promise((settle) => {
    context.takeSignals(() => settle())
  })
}
