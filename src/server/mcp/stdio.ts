// `offshoot mcp`: one agent's session talks to us over stdin and stdout. Everything heavy waits for the first call, because agents
// give a server about a second to start (headless-and-mcp C.2).
import { Console } from 'node:console'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpFactory, type McpOptions } from './server.ts'

export interface StdioServer {
  /** Settles when the client has gone. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export function serveMcpStdio(options: Omit<McpOptions, 'surface'>): StdioServer {
  // stdout is the protocol's alone: what some package prints would break it.
  globalThis.console = new Console(process.stderr)
  const handle = serveStdio(createMcpFactory({ ...options, surface: 'stdio' }), {
    onerror: (error) => options.log.write('warn', 'mcp stdio', { error }),
  })
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  return { ended, close: () => handle.close() }
}
