// What the tests of the whole UI stand on: a home with the demo's sessions, UIs opened in it, and all of it gone afterwards.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { sampleIds } from '../../src/cli/demo/sample-sessions.ts'
import { isAlive } from '../../src/lib/is-alive.ts'
import { bin, createFixture, type Fixture } from '../cli/run-cli.ts'
import { removeFolder } from '../setup/remove-folder.ts'
import { type AppInPty, openApp, type Size } from './app-in-pty.ts'

export interface OpenInHome extends Partial<Size> {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Behind the program. */
  readonly args?: readonly string[]
  /** Before it: what runs it. */
  readonly through?: readonly string[]
  /** Instead of both. */
  readonly argv?: readonly string[]
  /** Without `NO_COLOR`. */
  readonly hasColors?: boolean
  /** With the tabs it was left with. */
  readonly keepsTabs?: boolean
}

export interface TuiHome extends Fixture {
  /** Where tabs and layout are remembered. */
  readonly layout: string
  /** The file of the session the tests talk in. */
  readonly transcript: string
  /** With the list of sessions and no tabs of the test before, 100 x 30, unless said otherwise. */
  open(options?: OpenInHome): AppInPty
}

/** Made before the tests of the file or of the suite it is called in, removed after them. */
export function useHome(): TuiHome {
  let made: Fixture | undefined
  const opened: AppInPty[] = []
  const fixture = () => {
    if (made === undefined) throw new Error('there is a home only while tests run')
    return made
  }
  beforeAll(async () => {
    made = await createFixture()
  })
  afterAll(async () => {
    for (const app of opened) if (isAlive(app.pid)) app.kill('SIGKILL')
    await Promise.all(opened.map(({ ended }) => ended))
    made?.remove()
  })
  return {
    get home() {
      return fixture().home
    },
    get repository() {
      return fixture().repository
    },
    get vars() {
      return fixture().vars
    },
    get hasGit() {
      return fixture().hasGit
    },
    get layout() {
      return join(fixture().vars.OFFSHOOT_HOME ?? '', 'tui.json')
    },
    get transcript() {
      const projects = join(fixture().home, '.claude', 'projects')
      return join(projects, readdirSync(projects)[0] ?? '', `${sampleIds.dueDates}.jsonl`)
    },
    run: (...given) => fixture().run(...given),
    json: (...given) => fixture().json(...given),
    remove: () => fixture().remove(),
    open(options = {}) {
      const { columns = 100, rows = 30, env = {}, cwd = fixture().repository, args = [], through = [] } = options
      const argv = options.argv ?? [...through, process.execPath, bin, ...args]
      if (options.keepsTabs !== true) forget(this.layout)
      const colors = options.hasColors === true ? {} : { NO_COLOR: '1' }
      const app = openApp({ columns, rows, cwd, env: { ...fixture().vars, ...colors, ...env }, argv })
      opened.push(app)
      return app
    },
  }
}

/** One that is a folder was put there to be in the way. */
function forget(layout: string): void {
  try {
    rmSync(layout, { force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_FS_EISDIR')) throw error
  }
}

/** From the list to the session the tests talk in, by searching for it. */
export async function openDueDates(app: AppInPty): Promise<void> {
  await app.waitFor('Give every task a due date.')
  app.press('/', 'sort the list by due date')
  await app.waitFor(/▌ .*Give every task a due date\./)
  app.press('enter')
  await app.waitFor(/● Sorted: tasks without a date come last[\s\S]*ask Claude/)
}

/** A home of nobody, in a folder of its own. */
export function makeEmptyHome(): { readonly folder: string; readonly vars: Readonly<Record<string, string>>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-empty-'))
  const vars = {
    HOME: folder,
    OFFSHOOT_HOME: join(folder, '.offshoot'),
    CLAUDE_CONFIG_DIR: join(folder, '.claude'),
    CODEX_HOME: join(folder, '.codex'),
  }
  return { folder, vars, remove: () => removeFolder(folder) }
}
