// A disk that is full while a token is created: nothing is lost, and no secret is printed that the file does not have.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFaultHome, type FaultHome } from './fault-home.ts'
import { armShim, shim } from './shim.ts'

let home: FaultHome
beforeAll(async () => {
  if (shim !== null) home = await createFaultHome()
})
afterAll(async () => await home?.remove())

test.skipIf(shim === null)(
  'a full disk at any call of `token create`: the old tokens stay, and what is printed is stored',
  async () => {
    const create = (name: string) => ['token', 'create', '--scope', 'read', '--name', name, '--json']
    const file = () => readFileSync(join(home.vars.OFFSHOOT_HOME ?? '', 'tokens.json'), 'utf8')
    const names = () => (JSON.parse(file()) as { tokens: { name: string }[] }).tokens.map(({ name }) => name)
    const calls = () => readFileSync(join(home.aside, 'shim-state')).readUInt32LE(0)
    await home.reset([create('first')])
    const outcomes: unknown[] = []
    let failures = 0
    for (let at = 1; ; at += 1) {
      await home.reset([create('first')])
      const { status, stdout, stderr } = await home.run(create('second'), {
        env: armShim(shim ?? '', { errno: 'ENOSPC', at, sticky: true }, home.live, home.aside),
      })
      if (calls() < at) break
      const isMade = names().includes('second')
      if (status !== 0) failures += 1
      const isRight =
        status === 0 ? isMade : status === 1 && !stdout.includes('offshoot_') && /hint|"hint"/.test(`${stdout}${stderr}`)
      if (!names().includes('first') || !isRight) outcomes.push({ at, status, stdout, stderr, names: names() })
    }
    expect(outcomes).toEqual([])
    expect(failures).toBeGreaterThan(2)
  },
  600_000,
)
