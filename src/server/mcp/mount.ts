// `/mcp` on the HTTP server: streamable HTTP without sessions, so that nothing is kept between requests. Whoever mounts it puts
// authentication, host and origin checks and the body limit in front.
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Api } from '../api.ts'
import { createMcpFactory, type McpOptions } from './server.ts'

export function mountMcp(api: Pick<Api, 'all'>, options: Omit<McpOptions, 'surface' | 'cwd'>): { close(): Promise<void> } {
  const handler = createMcpHandler(createMcpFactory({ ...options, surface: 'http', cwd: null }), {
    onerror: (error) => options.log.write('warn', 'mcp http', { error }),
  })
  api.all('/mcp', (context) => {
    const { token, scope } = context.var.access
    // The secret itself is of no use to a tool.
    const authInfo = { token: '', clientId: token?.id ?? 'owner', scopes: [scope], extra: { access: { token, scope } } }
    return handler.fetch(context.req.raw, { authInfo })
  })
  return { close: handler.close }
}
