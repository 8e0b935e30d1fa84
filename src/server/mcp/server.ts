// The MCP server: one factory for both protocol eras and both transports. It holds nothing between calls but the caller finder,
// because over HTTP every request gets a server of its own.
import {
  type McpRequestContext,
  McpServer,
  type McpServerFactory,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import type { AgentEnv } from '../../agents/agent-env.ts'
import type { GuardedApp, GuardOptions } from '../../guarded-app.ts'
import type { Log } from '../../lib/log.ts'
import { AppError } from '../../model/error.ts'
import { createRedactor, type Redactor } from '../../redact/redact.ts'
import { invalidToken } from '../auth.ts'
import { describeFaults } from '../parameters.ts'
import { type Access, limitApp, mayCall, ownerAccess, requireNeed } from '../tokens/access.ts'
import { untilEnded } from '../tokens/end-with.ts'
import { toolNeeds } from '../tokens/scope-table.ts'
import { createCallerFinder } from './caller.ts'
import { errorResult, isForLog } from './errors.ts'
import { instructions } from './instructions.ts'
import { safeValue } from './safe-text.ts'
import { bytesOf, cutText, maxResultBytes } from './size.ts'
import type { Answer, Call, Tool } from './tool.ts'
import { tools } from './tools.ts'

export interface McpOptions {
  /** Opened by the first call: clients give a server little time to start. */
  readonly guarded: (access: Access) => Promise<GuardedApp>
  /** Is told of calls above the scope of a token. */
  readonly onRefusal?: GuardOptions['onRefusal']
  readonly env: AgentEnv
  readonly version: string
  readonly surface: 'stdio' | 'http'
  /** Of a stdio server: that of the agent's session. `null` over HTTP. */
  readonly cwd: string | null
  readonly log: Log
}

export function createMcpFactory(options: McpOptions): McpServerFactory {
  const redactor = createRedactor()
  const findCaller = createCallerFinder(options)

  const refusing = {
    surface: 'mcp',
    onRefusal: options.onRefusal ?? (() => undefined),
    now: options.env.now ?? Date.now,
  } as const

  async function answer(tool: Tool, args: unknown, access: Access, context: ServerContext) {
    const { _meta: meta, signal } = context.mcpReq
    let caller: ReturnType<Call['caller']> | undefined
    try {
      requireNeed(access, tool.name, toolNeeds[tool.name], refusing, args)
      const guarded = await options.guarded(access)
      const call: Call = {
        guarded: access.token === null ? guarded : limitApp(guarded, access, refusing),
        redactor,
        caller: () => {
          caller ??= findCaller(meta, signal)
          return caller
        },
        signal,
        progress: progressOf(context),
        surface: options.surface,
      }
      const work = tool.run(readArguments(tool, args), call)
      // The signal aborts with the answer: a tool that does several things does no more of them.
      const answered = access.token === null ? work : untilEnded(access.token.ended, work, invalidToken)
      return await toResult(tool, await answered, redactor)
    } catch (thrown) {
      if (signal.aborted) return errorResult(new AppError('interrupted', 'The call was cancelled.', { cause: thrown }), redactor)
      if (isForLog(thrown)) options.log.write('error', 'mcp tool failed', { tool: tool.name, error: thrown as Error })
      return errorResult(thrown, redactor)
    }
  }

  return ({ authInfo }) => {
    const access = options.surface === 'stdio' ? ownerAccess : accessOf(authInfo)
    const server = new McpServer(
      { name: 'offshoot', title: 'offshoot', version: options.version },
      { instructions, capabilities: { tools: {} } },
    )
    knowOnlyOwnNames(server)
    for (const tool of tools) {
      const { name, title, description, input, output, annotations, alwaysLoad } = tool
      server.registerTool(
        name,
        {
          title,
          description,
          inputSchema: unchecked(input),
          outputSchema: output,
          annotations: { title, ...annotations },
          ...metaOf(alwaysLoad),
        },
        (args, context) => answer(tool, args, access, context),
      )
    }
    if (access.token !== null) listOnly(server, (name) => mayCall(access, toolNeeds[name]))
    return server
  }
}

/** As `mount.ts` handed it on; without it nobody is let in. */
function accessOf(authInfo: McpRequestContext['authInfo']): Access {
  const access = authInfo?.extra?.access as Access | undefined
  if (access === undefined) throw new Error('an MCP request without its access')
  return access
}

/**
 * The SDK (2.4) looks tools up in a plain object, so that it takes `constructor` and `__proto__` for tools that are disabled. Not needed
 * once it uses a Map.
 */
function knowOnlyOwnNames(server: McpServer): void {
  Object.setPrototypeOf((server as unknown as { readonly _registeredTools: object })._registeredTools, null)
}

/** Hides tools from the list. They stay registered: a call is answered with what is missing, not as one of an unknown tool. */
function listOnly({ server }: McpServer, isShown: (name: string) => boolean): void {
  const shown = tools.filter(({ name }) => isShown(name)).map(describeTool)
  server.setRequestHandler('tools/list', () => ({ tools: shown }))
}

/** As the SDK itself lists it. */
function describeTool({ name, title, description, input, output, annotations, alwaysLoad }: Tool) {
  const target = { target: 'draft-2020-12' } as const
  return {
    name,
    title,
    description,
    inputSchema: { ...input['~standard'].jsonSchema.input(target), type: 'object' as const },
    outputSchema: { ...output['~standard'].jsonSchema.output(target), type: 'object' as const },
    annotations: { title, ...annotations },
    ...metaOf(alwaysLoad),
  }
}

function metaOf(alwaysLoad: boolean | undefined) {
  return alwaysLoad === true ? { _meta: { 'anthropic/alwaysLoad': true } } : {}
}

/**
 * The schema as clients see it, with every value let through: the SDK's own check answers with its own text, and ours in
 * `readArguments` with an error as every other.
 */
function unchecked(input: Tool['input']): StandardSchemaWithJSON<unknown> {
  const { jsonSchema, vendor, version } = input['~standard']
  return { '~standard': { jsonSchema, vendor, version, validate: (value) => ({ value }) } }
}

function readArguments({ name, input }: Tool, args: unknown): never {
  const parsed = input.safeParse(args, { reportInput: true })
  if (parsed.success) return parsed.data as never
  const words = describeFaults(parsed.error).map(({ path, message }) => (path === '' ? message : `\`${path}\`: ${message}`))
  throw new AppError('usage', words.join(' '), { hint: `Compare the arguments with the input schema of ${name}.` })
}

/** A last pass over everything: whatever a tool forgot, no secret and no control character leaves here. */
async function toResult(tool: Tool, { structured, text }: Answer, redactor: Redactor) {
  const result = {
    content: [{ type: 'text' as const, text: cutText(String(await safeValue(redactor, text)), 1000) }],
    structuredContent: (await safeValue(redactor, structured)) as Record<string, unknown>,
  }
  const size = bytesOf(result)
  if (size <= maxResultBytes) return result
  throw new AppError('too_large', `The answer of ${tool.name} has ${size} bytes, more than the ${maxResultBytes} it may have.`, {
    hint: 'Ask for fewer rows with `limit`, or for shorter texts.',
  })
}

function progressOf({ mcpReq }: ServerContext): Call['progress'] {
  const progressToken = mcpReq._meta?.progressToken
  let steps = 0
  return async (message, done, total) => {
    if (progressToken === undefined || mcpReq.signal.aborted) return
    steps = Math.max(steps + 1, done ?? 0) // must only ever grow
    const params = { progressToken, progress: steps, message, ...(total === undefined ? {} : { total }) }
    await mcpReq.notify({ method: 'notifications/progress', params })
  }
}
