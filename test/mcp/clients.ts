// Real MCP clients of both SDK generations, over stdio with the real `offshoot mcp` process and over HTTP.
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { bin } from '../cli/run-cli.ts'

export interface Result {
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
}

export interface Progress {
  readonly progress: number
  readonly message: string | undefined
}

export interface CallOptions {
  readonly meta?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, unknown>>
  readonly _meta?: Readonly<Record<string, unknown>>
}

export interface Connected {
  readonly version: string | undefined
  readonly instructions: string | undefined
  tools(): Promise<readonly ListedTool[]>
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Result>
  close(): Promise<void>
}

export const clientKinds = ['sdk 1', 'sdk 2 of 2025', 'sdk 2 of 2026'] as const
export type ClientKind = (typeof clientKinds)[number]

export interface StdioPlace {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

export interface HttpPlace {
  readonly url: URL
  readonly token: string
}

export async function connect(kind: ClientKind, place: StdioPlace | HttpPlace): Promise<Connected> {
  return kind === 'sdk 1' ? connectFirst(place) : connectSecond(place, kind === 'sdk 2 of 2026')
}

const me = { name: 'test', version: '1.0.0' }

function processOf({ cwd, env, args = [] }: StdioPlace) {
  return { command: process.execPath, args: [bin, 'mcp', ...args], cwd, env: { ...env }, stderr: 'ignore' as const }
}

function headersOf({ token }: HttpPlace) {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } }
}

async function connectFirst(place: StdioPlace | HttpPlace): Promise<Connected> {
  const client = new Client1(me)
  const transport = 'url' in place ? new Http1(place.url, headersOf(place)) : new Stdio1(processOf(place))
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return {
    version: 'url' in place ? undefined : '1',
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools as readonly ListedTool[],
    call: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args, ...metaOf(options) }, undefined, requestOptions(options))) as Result,
    close: () => client.close(),
  }
}

async function connectSecond(place: StdioPlace | HttpPlace, modern: boolean): Promise<Connected> {
  const client = new Client2(me, modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {})
  await client.connect('url' in place ? new Http2(place.url, headersOf(place)) : new Stdio2(processOf(place)))
  return {
    version: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools as readonly ListedTool[],
    call: async (name, args = {}, options = {}) =>
      (await client.callTool({ name, arguments: args, ...metaOf(options) }, requestOptions(options))) as Result,
    close: () => client.close(),
  }
}

function metaOf({ meta }: CallOptions) {
  return meta === undefined ? {} : { _meta: meta }
}

function requestOptions({ signal, onProgress }: CallOptions) {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined
      ? {}
      : {
          onprogress: ({ progress, message }: { progress: number; message?: string | undefined }) =>
            onProgress({ progress, message }),
        }),
  }
}

/** The error in the text of a refused call. */
export function errorOf(result: Result): { code: string; message: string; hint: string } {
  if (result.isError !== true) throw new Error(`no error: ${JSON.stringify(result).slice(0, 500)}`)
  return (JSON.parse(result.content[0]?.text ?? '') as { error: { code: string; message: string; hint: string } }).error
}

export function structured<T = Record<string, unknown>>(result: Result): T {
  if (result.isError === true) throw new Error(`an error: ${result.content[0]?.text}`)
  return result.structuredContent as T
}
