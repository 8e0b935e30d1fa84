// A process of its own that indexes, for the tests of kills and of many at once: tells how far it is, then what came of it.
import { createApp } from '../../src/app.ts'

const [home = '', cwd = ''] = process.argv.slice(2)
const app = createApp({ home, vars: { PATH: process.env.PATH, HOME: home }, cwd, now: Date.now })
process.send?.({ ready: true })
const report = await app.updateIndex({ onProgress: ({ filesDone }) => process.send?.({ filesDone }) })
process.stdout.write(JSON.stringify(report))
app.close()
process.disconnect?.()
