// What a thread is told when it is opened: where it works, what it may do unasked, its model and its MCP servers. All of it goes
// over stdin, per thread, so that nothing of it stands on a command line and threads with different settings share a process.
import { parse } from 'smol-toml'
import { errorMessage } from '../../lib/error-message.ts'
import { isObject } from '../../lib/jsonl.ts'
import { readRegularText } from '../../lib/regular-file.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { innerVars } from '../outer-agent.ts'
import type { ConversationRequest } from '../runs.ts'
import type { Body } from './lines.ts'

/**
 * `read-only` and `workspace-write` with questions are the two ways Codex itself offers a person: everything that writes is asked
 * for, or only what leaves the folder. A thread that nobody listens to any more is let go at once (0.166 keeps it, and its lock,
 * for a minute; 0.142 has no locks and passes the setting over).
 */
export function threadSettings(request: ConversationRequest, vars: AgentEnv['vars']): Body {
  const { cwd, model, mcpConfig, policy } = request
  return {
    cwd,
    approvalPolicy: 'on-request',
    sandbox: policy === 'accept_edits' ? 'workspace-write' : 'read-only',
    ...(model === null ? {} : { model }),
    config: {
      thread_unload_delay_secs: 0,
      ...Object.fromEntries(ownVars(request.env).map(([name, value]) => [`shell_environment_policy.set.${name}`, value])),
      ...(mcpConfig === null ? {} : readMcpFile(mcpConfig, vars)),
    },
  }
}

/** Tells what a thread runs who it is. Given to the thread and not to the process, which others share. */
const threadVars: ReadonlySet<string> = new Set(['OFFSHOOT_WORKER'])

function ownVars(additions: ConversationRequest['env']): [string, string][] {
  return Object.entries(additions).filter(([name]) => threadVars.has(name))
}

/** The environment of the process. */
export function processVars(vars: AgentEnv['vars'], additions: ConversationRequest['env']): AgentEnv['vars'] {
  const all = Object.entries(innerVars(vars, additions))
  return Object.fromEntries(all.filter(([name]) => !threadVars.has(name)))
}

/**
 * A file of MCP servers as Claude Code takes it (`{"mcpServers": {...}}`) or as Codex does (`[mcp_servers.x]`), as settings of
 * Codex. With `vars`, `${NAME}` in Claude's is filled in; without, secrets have to stay names of variables.
 */
export function readMcpFile(file: string, vars: AgentEnv['vars'] | null): Body {
  const { mcpServers: theirs, mcp_servers: ours } = parseFile(file)
  const servers = isObject(theirs) ? theirs : isObject(ours) ? ours : {}
  const settings = Object.entries(servers).map(([name, server]): [string, unknown] => {
    // Codex refuses other names itself; a dot would make two names of one.
    if (!/^[\w-]+$/.test(name) || !isObject(server)) throw new AppError('bad_config', `${file}: no MCP server for Codex: ${name}`)
    const asCodex = isObject(theirs) ? fromClaude(server) : server
    return [
      `mcp_servers.${name}`,
      vars === null ? byNames(asCodex, file, name) : isObject(theirs) ? expand(asCodex, vars) : asCodex,
    ]
  })
  return Object.fromEntries(settings)
}

function parseFile(file: string): Body {
  try {
    const text = readRegularText(file)
    const value: unknown = text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text)
    return isObject(value) ? value : {}
  } catch (error) {
    throw new AppError('bad_config', `${file} is no file of MCP servers: ${errorMessage(error)}`)
  }
}

function fromClaude({ command, args, env, url, headers }: Body): Body {
  const told = typeof url === 'string' ? { url, http_headers: headers } : { command, args, env }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined))
}

/** `${NAME}` and `${NAME:-else}` in all texts: Claude Code does so, Codex does not. */
function expand(value: unknown, vars: AgentEnv['vars']): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
      return vars[name] ?? otherwise ?? whole
    })
  }
  if (Array.isArray(value)) return value.map((one) => expand(one, vars))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, expand(one, vars)]))
}

/** Values of variables and headers as names of variables: `"KEY": "${KEY}"`, `"Authorization": "Bearer ${TOKEN}"`. */
function byNames({ env, http_headers: headers, ...rest }: Body, file: string, server: string): Body {
  const shown = (name: string) =>
    new AppError(
      'bad_config',
      `${file}: the value of ${name} of ${server} would stand on a command line: write \${${name}} for it.`,
    )
  const names = entriesOf(env).map(([name, value]) => {
    if (value !== `\${${name}}`) throw shown(name)
    return name
  })
  const bearer = entriesOf(headers).map(([name, value]) => {
    const variable = /^Bearer \$\{(\w+)\}$/.exec(value)?.[1]
    if (name.toLowerCase() !== 'authorization' || variable === undefined) throw shown(name)
    return variable
  })
  return {
    ...rest,
    ...(names.length === 0 ? {} : { env_vars: names }),
    ...(bearer[0] === undefined ? {} : { bearer_token_env_var: bearer[0] }),
  }
}

function entriesOf(value: unknown): [string, string][] {
  return isObject(value) ? Object.entries(value).map(([name, one]) => [name, String(one)]) : []
}
