// `offshoot serve`: starts the server, says where it is and how agents get to it, and stays until a signal ends it.

import { cleanLine } from '../../lib/text/clean.ts'
import { AppError } from '../../model/error.ts'
import { nameParameter } from '../../model/option-names.ts'
import { startBackground } from '../../server/background.ts'
import { isLoopback } from '../../server/origin.ts'
import { type Serving, startServing } from '../../server/serve.ts'
import { urlOf } from '../../server/server-file.ts'
import type { Context } from '../context.ts'
import { findRoots } from '../roots.ts'
import { readVersion } from '../version.ts'

export interface ServeCommandOptions {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly project?: readonly string[] | undefined
  readonly allowRemote?: true | undefined
  readonly service?: true | undefined
  readonly json?: true | undefined
}

export async function serve(context: Context, options: ServeCommandOptions): Promise<void> {
  const { home, vars, paths, log, now, supervisor } = context
  const host = options.host ?? (await context.setting<string>('server.host'))
  refuseRemote(host, options.allowRemote === true)
  await context.setting('index.interval') // a bad one is refused here; what runs in the background has nobody to tell
  const app = await context.app(nameParameter)
  const roots = await findRoots(context, app, options.project ?? [], { implicit: options.service !== true })
  // From here on a signal stops the server, also while it starts.
  let asked = false
  let wake: (() => void) | undefined
  const giveBack = context.takeSignals((signal) => {
    if (asked) process.exit(signal === 'SIGINT' ? 130 : 143) // the second one: at once
    asked = true
    wake?.()
  })
  const serving = await startServing({
    app,
    home,
    vars,
    folder: paths.root,
    logs: paths.logs,
    roots,
    host,
    port: options.port ?? (await context.setting<number>('server.port')),
    version: readVersion(),
    supervisor,
    log,
    now,
    startBackground,
  })
  await announce(context, serving, options)
  await context.out.flush()
  if (!asked) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  if (options.json !== true)
    context.out.note('Stopping: what runs is ended or kept for the next start. Once more leaves at once.')
  await serving.stop()
  giveBack()
}

function refuseRemote(host: string, allowed: boolean): void {
  if (isLoopback(host) || allowed) return
  throw new AppError('refused', `${host} can be reached by other machines: whoever has the token could run agents here.`, {
    hint: 'Use 127.0.0.1 with an SSH tunnel, or say --allow-remote.',
  })
}

async function announce(context: Context, serving: Serving, options: ServeCommandOptions): Promise<void> {
  const { file, token, roots } = serving
  const { out } = context
  const url = urlOf(file)
  if (!isLoopback(file.host)) {
    out.note(`${out.noteColors.yellow('warning:')} other machines reach this server, and nothing on the way is encrypted.`)
  }
  if (token.replaced) out.note('The token was open to others (or was none): there is a new one, and clients have to be told.')
  if (options.json === true) {
    const { pid, port, host, instance, version } = file
    const secret = options.service === true ? {} : { token: token.value }
    return void (await out.json({
      url,
      ...secret,
      token_file: token.file,
      pid,
      host,
      port,
      instance,
      version,
      roots,
      mcp: `${url}/mcp`,
    }))
  }
  const { bold, dim } = out.colors
  await out.line(`${bold('offshoot')} serves ${bold(url)}`)
  await out.line(options.service === true ? `token  in ${token.file}` : `token  ${token.value}  ${dim(`(${token.file})`)}`)
  for (const root of roots) await out.line(`open   ${cleanLine(root)}`)
  if (roots.length === 0) {
    out.note('No project is open: name one with --project, or in the setting server.allow_repos.')
  }
  if (options.service === true) return
  await out.line()
  await out.line(dim('Connect Claude Code:'))
  await out.line(
    `  claude mcp add --transport http --scope user offshoot ${url}/mcp --header "Authorization: Bearer ${token.value}"`,
  )
  await out.line(dim('Connect Codex (the token comes from the environment it is started in):'))
  await out.line(`  codex mcp add offshoot --url ${url}/mcp --bearer-token-env-var OFFSHOOT_TOKEN`)
  await out.line(`  export OFFSHOOT_TOKEN="$(cat ${quote(token.file)})"`)
  await out.line(dim('Ctrl-C stops it.'))
}

/** For a shell, should the folder's name need it. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${cleanLine(path).replaceAll("'", `'\\''`)}'`
}
