// offshoot as a user has it who has just installed it: nothing is catalogued yet.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type App, createApp } from '../../../src/app.ts'
import type { Cli } from './cli.ts'

let count = 0

export async function withFreshApp<T>({ sandbox, vars }: Cli, work: (app: App) => Promise<T>): Promise<T> {
  count += 1
  const folder = join(sandbox.root, `fresh-${count}`)
  const app = createApp({ home: sandbox.home, vars: { ...vars, OFFSHOOT_HOME: folder }, cwd: sandbox.work, now: Date.now })
  try {
    return await work(app)
  } finally {
    app.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
