// A transcript full of keys and tokens: not one of them may be in any file offshoot writes, nor in any answer.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { putQmdOnPath } from '../real/lib/qmd.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

// Fake keys, put together from parts so that no scanner mistakes this file for a leak.
const letters = 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC'
const random = (length: number) => letters.repeat(Math.ceil(length / letters.length)).slice(0, length)
const hex = (length: number) => '0a1b2c3d4e5f6789'.repeat(Math.ceil(length / 16)).slice(0, length)
const join2 = (...parts: string[]) => parts.join('')

const secrets: Readonly<Record<string, string>> = {
  github: join2('gh', 'p_', random(36)),
  'github fine-grained': join2('github', '_pat_', random(22), '_', random(59)),
  gitlab: join2('gl', 'pat-', random(20)),
  slack: join2('xo', 'xb-', '123456789012-', random(24)),
  openai: join2('sk', '-proj-', random(48)),
  anthropic: join2('sk', '-ant-', 'api03-', random(93), 'AA'),
  openrouter: join2('sk', '-or-v1-', hex(64)),
  aws: join2('AK', 'IA', 'A1B2C3D4E5F6G7H8'),
  google: join2('AI', 'za', random(35)),
  stripe: join2('sk', '_live_', random(24)),
  npm: join2('np', 'm_', random(36)),
  pypi: join2('py', 'pi-AgE', random(60)),
  docker: join2('dckr', '_pat_', random(27)),
  huggingface: join2('h', 'f_', random(34)),
  groq: join2('gs', 'k_', random(52)),
  sendgrid: join2('S', 'G.', random(22), '.', random(43)),
  vault: join2('hv', 's.', random(95)),
  databricks: join2('da', 'pi', hex(32)),
  digitalocean: join2('do', 'p_v1_', hex(64)),
  linear: join2('lin', '_api_', random(40)),
  jwt: join2('ey', 'J', random(30), '.ey', 'J', random(60), '.', random(43)),
  'private key': join2(
    '-----BEGIN RSA PRIV',
    'ATE KEY-----\n',
    random(64),
    '\n',
    random(64),
    '\n-----END RSA PRIV',
    'ATE KEY-----',
  ),
}
/** Known only by what stands before them. */
const passwords = {
  url: `pw${random(14)}1`,
  env: `env${random(14)}2`,
  bearer: `bt${random(30)}3`,
  aws: random(40),
  dotted: `Srjkk09.E0OH${random(4)}`,
}
const inContext = [
  `postgres://admin:${passwords.url}@db.example.test:5432/app`,
  `DB_PASSWORD=${passwords.env}`,
  `curl -H "Authorization: Bearer ${passwords.bearer}" https://example.test`,
  `the access key is ${secrets.aws} and the secret is ${passwords.aws}`,
  `sqlcmd -S db -U sa -P ${passwords.dotted} -Q "select 1"`,
]

let box: Sandbox
beforeEach(() => {
  box = createSandbox()
})
afterEach(() => box.close())

/** What must not be found: a private key is recognised by its body. */
const wanted = [
  ...Object.values(secrets).flatMap((secret) => (secret.includes('\n') ? (secret.split('\n')[1] ?? '') : secret)),
  ...Object.values(passwords),
]

function leaks(bytes: Buffer | string): string[] {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1')
  return wanted.filter((secret) => text.includes(secret))
}

it('leaves no secret behind, wherever in the session it stands', async () => {
  const all = [...Object.values(secrets), ...inContext]
  for (const secret of all) {
    box.session([
      { prompt: secret, answer: `You gave me ${secret} to use.` },
      {
        prompt: `Please use\n${secret}\nfor the deployment`,
        answer: `${'Long words before it come to a cut. '.repeat(41)}${secret} ${'and after it. '.repeat(50)}`,
        tools: [
          {
            name: 'Bash',
            input: { command: `deploy --with "${secret}"`, description: secret },
            output: `error: refused ${secret}\n`,
            exitCode: 1,
          },
          { name: 'Write', input: { file_path: `/p/${secret}`, content: secret } },
        ],
      },
    ])
  }
  const named = box.session(['one'])
  named.write({ type: 'custom-title', customTitle: `Deploy with ${secrets.github}`, sessionId: named.id })
  const app = box.app({ vars: { ...box.vars, PATH: putQmdOnPath(join(box.root, 'bin')).path } })
  const { problems, chunks } = await app.updateIndex()
  expect(problems).toEqual([])
  expect(chunks).toBeGreaterThan(all.length * 3)
  // The exports for qmd, and qmd's own index of them.
  expect(await app.updateQmd()).toMatchObject({ exported: all.length + 1, problems: [] })
  const folder = join(box.home, '.offshoot')
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['offshoot.db-wal', 'index.sqlite', `${named.id}.md`]))
  for (const { parentPath, name } of files) expect([name, leaks(readFileSync(join(parentPath, name)))]).toEqual([name, []])
  for (const text of ['deployment', 'deploy', 'use', ...Object.values(secrets).slice(0, 5)]) {
    const answer = await app.search({ text, limit: 100, explain: true })
    expect(leaks(JSON.stringify({ ...answer, query: '' }))).toEqual([])
  }
  const byQmd = await app.search({ text: 'deployment', engine: 'qmd', limit: 100 })
  expect(byQmd.results.length).toBeGreaterThan(10)
  expect(leaks(JSON.stringify(byQmd))).toEqual([])
  expect((await app.search({ text: 'deployment' })).results.length).toBeGreaterThan(0)
  app.close()
  for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )) {
    expect(leaks(readFileSync(join(parentPath, name)))).toEqual([])
  }
})

it('still sends a prompt on whole when it is forked again', async () => {
  const session = box.session([`Use ${secrets.github} please`])
  const app = box.app()
  expect((await app.listTurns((await app.resolve(session.id)).session))[0]?.prompt).toBe('Use [redacted:github-token] please')
  const plan = await app.planFork({ address: session.id, before: '1', code: 'none' })
  expect(plan.pendingPrompt).toBe(`Use ${secrets.github} please`)
})
