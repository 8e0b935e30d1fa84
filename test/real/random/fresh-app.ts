// offshoot as a user has it who has just installed it: nothing is catalogued yet.
import { join } from 'node:path'
import { type App, createApp } from '../../../src/app.ts'
import { removeFolder } from '../../setup/remove-folder.ts'
import type { World } from './world.ts'

let count = 0

export async function withFreshApp<T>({ cli, agents }: World, work: (app: App) => Promise<T>): Promise<T> {
  count += 1
  const { sandbox, vars } = cli
  const folder = join(sandbox.root, `fresh-${count}`)
  const fresh = { ...vars, OFFSHOOT_HOME: folder }
  const app = createApp({ home: sandbox.home, vars: fresh, cwd: sandbox.work, now: Date.now, agents })
  try {
    return await work(app)
  } finally {
    app.close()
    removeFolder(folder)
  }
}
