// An MCP server that leaves a file when it is started; its one tool leaves another.
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

writeFileSync(process.argv[2], 'started')
const tool = { name: 'touch', description: 'touches', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const say = (result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  if (method === 'initialize') {
    const serverInfo = { name: 'touch', version: '1' }
    say({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  } else if (method === 'tools/list') say({ tools: [tool] })
  else if (method === 'tools/call') {
    writeFileSync(params.arguments.path, 'called')
    say({ content: [{ type: 'text', text: 'touched' }] })
  } else if (id !== undefined) say({})
})
