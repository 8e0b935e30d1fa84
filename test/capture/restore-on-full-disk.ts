// In a mount of its own (a small tmpfs as TMPDIR): a restore that is half done when the disk is full. Says what became of it.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../src/model/error.ts'
import { createSandbox } from '../fork/sandbox.ts'
import { hookedSession, playTurn } from './session.ts'
import { tellHere } from './tell.ts'

const sandbox = createSandbox()
const repo = sandbox.repository('repo')
const at = (name: string) => join(repo, name)
const session = hookedSession(sandbox.projects, repo)
const big = randomBytes(900_000)
const turn = (text: string, content: Buffer | string) =>
  playTurn(
    (payload) => tellHere(sandbox.offshootHome, payload),
    session,
    text,
    () => {
      writeFileSync(at('a.txt'), `${text}\n`)
      writeFileSync(at('big.bin'), content)
    },
  )
await turn('first', big)
await turn('second', 'small\n')

const app = sandbox.app({
  cwd: repo,
  onForkStep(moment) {
    if (moment !== 'restore safe') return
    writeFileSync(at('a.txt'), 'first\n')
    const { bavail, bsize } = statfsSync(tmpdir())
    writeFileSync(join(tmpdir(), 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - 700_000)))
  },
})
const plan = await app.planRestore({ address: `${session.id}@1` })
const failed = await app.restore(plan).then(
  () => null,
  (error: unknown) => error,
)
const left = existsSync(at('big.bin')) ? readFileSync(at('big.bin'), 'latin1').slice(0, 20) : null
rmSync(join(tmpdir(), 'filler'))
const { message, code, hint } = failed instanceof AppError ? failed : { message: String(failed), code: null, hint: null }
const states = (await app.listRestores()).map(({ state }) => state)
const scratch = sandbox.git(repo, 'status', '--porcelain')
process.stdout.write(JSON.stringify({ message, code, hint, a: readFileSync(at('a.txt'), 'utf8'), left, states, scratch }))
sandbox.close()
