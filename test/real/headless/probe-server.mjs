// The smallest MCP server: one tool, which says what it was told and what it finds in its environment.
import { createInterface } from 'node:readline'

const tool = { name: 'echo', description: 'says it', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const say = (result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  if (method === 'initialize') {
    const serverInfo = { name: 'probe', version: '1' }
    say({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  } else if (method === 'tools/list') say({ tools: [tool] })
  else if (method === 'tools/call')
    say({ content: [{ type: 'text', text: `said ${params.arguments.text} ${process.env.PROBE}` }] })
  else if (id !== undefined) say({})
})
