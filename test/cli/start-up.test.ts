// What is run all day loads almost nothing: a package that slips into the first file costs every listing its load time.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeFolder } from '../setup/remove-folder.ts'
import { createFixture, type Fixture } from './run-cli.ts'

let home: Fixture
beforeAll(async () => {
  home = await createFixture()
  await home.run(['sessions', '--all'])
})
afterAll(() => home.remove())

/** With what it loads its native part by. */
const sqlite = ['better-sqlite3', 'bindings', 'file-uri-to-path']

test.each([
  { what: '--version', args: ['--version'], packages: [] },
  { what: 'sessions --json, when nothing changed', args: ['sessions', '--all', '--json'], packages: sqlite },
])('$what loads $packages and no other package', async ({ args, packages }) => {
  expect(await packagesLoaded(args)).toEqual(packages)
})

/** As Node itself reports them when it counts which lines ran. */
async function packagesLoaded(args: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-loaded-'))
  try {
    const { status, stderr } = await home.run(args, { env: { NODE_V8_COVERAGE: folder } })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const scripts = readdirSync(folder).flatMap(
      (name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: { url: string }[] }).result,
    )
    expect(scripts.map(({ url }) => url)).toContainEqual(expect.stringMatching(/\/bin\/offshoot\.js$/))
    const names = scripts.flatMap(({ url }) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
    return [...new Set(names)].sort()
  } finally {
    removeFolder(folder)
  }
}
