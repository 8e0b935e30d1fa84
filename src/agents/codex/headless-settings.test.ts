import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ConversationRequest } from '../runs.ts'
import { readMcpFile, threadSettings } from './headless-settings.ts'
import { useHomes } from './home.testkit.ts'

const newHome = useHomes()

function fileWith(text: string): string {
  const path = join(newHome().home, 'mcp')
  writeFileSync(path, text)
  return path
}

const claude = JSON.stringify({
  mcpServers: {
    own: { command: 'node', args: ['x.mjs', '${ROOT:-.}/y'], env: { KEY: '${KEY}' } },
    web: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'Bearer ${KEY}' } },
  },
})

describe('threadSettings', () => {
  const request: ConversationRequest = {
    begin: { kind: 'start', sessionId: 'x' },
    cwd: '/w',
    model: null,
    env: {},
    mcpConfig: null,
    flags: [],
    policy: 'own',
  }

  it('asks for everything that writes, unless edits are accepted', () => {
    const config = { thread_unload_delay_secs: 0 }
    expect(threadSettings(request, {})).toEqual({ cwd: '/w', approvalPolicy: 'on-request', sandbox: 'read-only', config })
    expect(threadSettings({ ...request, policy: 'accept_edits', model: '-x' }, {})).toMatchObject({
      sandbox: 'workspace-write',
      model: '-x',
    })
  })

  it('takes the MCP servers along', () => {
    const { config } = threadSettings({ ...request, mcpConfig: fileWith(claude) }, { KEY: 'secret' })
    expect(config).toEqual({
      thread_unload_delay_secs: 0,
      'mcp_servers.own': { command: 'node', args: ['x.mjs', './y'], env: { KEY: 'secret' } },
      'mcp_servers.web': { url: 'http://127.0.0.1:1/mcp', http_headers: { Authorization: 'Bearer secret' } },
    })
  })
})

describe('readMcpFile', () => {
  it('keeps secrets off a command line', () => {
    expect(readMcpFile(fileWith(claude), null)).toEqual({
      'mcp_servers.own': { command: 'node', args: ['x.mjs', '${ROOT:-.}/y'], env_vars: ['KEY'] },
      'mcp_servers.web': { url: 'http://127.0.0.1:1/mcp', bearer_token_env_var: 'KEY' },
    })
    for (const env of [{ env: { KEY: 'secret' } }, { url: 'http://x', headers: { 'X-Key': '${KEY}' } }]) {
      const file = fileWith(JSON.stringify({ mcpServers: { own: { command: 'node', ...env } } }))
      expect(() => readMcpFile(file, null)).toThrow(expect.objectContaining({ code: 'bad_config' }))
    }
  })

  it('takes a file of Codex as it stands', () => {
    const file = fileWith('[mcp_servers.own]\ncommand = "node"\nstartup_timeout_sec = 5\n')
    expect(readMcpFile(file, {})).toEqual({ 'mcp_servers.own': { command: 'node', startup_timeout_sec: 5 } })
  })

  it.each(['{', 'a = ', '{"mcpServers":{"a.b":{}}}', '{"mcpServers":{"a b":{}}}', '{"mcpServers":{"a":1}}'])(
    'refuses %s',
    (text) => {
      expect(() => readMcpFile(fileWith(text), {})).toThrow(expect.objectContaining({ code: 'bad_config' }))
    },
  )

  it('says that there is no such file', () => {
    expect(() => readMcpFile('/nowhere/at/all', {})).toThrow(/nowhere/)
  })
})
