// Run by a test as a process of its own: takes one snapshot, as another user or on a full disk if need be, or is killed on the
// way. `take-one.ts '<json>'`, tells what happened as JSON.
import { exec } from '../../src/lib/exec.ts'
import { createGit } from '../../src/snapshots/git.ts'
import { takeSnapshot } from '../../src/snapshots/take-snapshot.ts'
import { openWorkTree, testMeta } from './snapshots-of.ts'

export interface OneRequest {
  readonly root: string
  readonly index: string
  readonly turnKey: string
  readonly sessionId?: string
  /** User to be, where the test is root. */
  readonly uid?: number
  /** The call of git during which the process dies; the first is 0. */
  readonly killAt?: number
  /** The step at which it dies. */
  readonly killAfter?: string
  readonly branch?: string
}

const request = JSON.parse(process.argv[2] ?? '{}') as OneRequest
if (request.uid !== undefined && process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(request.uid)
  process.setuid?.(request.uid)
}

const die = () => process.kill(process.pid, 'SIGKILL')
let calls = 0
const workTree = await openWorkTree(request.root)
const git = createGit({
  env: process.env,
  exec: (command, args, options) => {
    const running = exec(command, args, options)
    // A moment later, so that git has begun: it goes on without us.
    if (calls++ === request.killAt) setTimeout(die, 3)
    return running
  },
})
const { branch } = request
const trailers = [['Offshoot-Session', testMeta.sessionId]] as const
const told = await takeSnapshot(git, {
  workTree,
  index: request.index,
  meta: { ...testMeta, turnKey: request.turnKey, sessionId: request.sessionId ?? testMeta.sessionId },
  maxFileBytes: 1_000_000,
  ...(branch === undefined ? {} : { workspace: { branch, message: request.turnKey, trailers } }),
  onStep: (step) => {
    if (step === request.killAfter) die()
  },
}).then(
  ({ snapshot, commit, problem }) => ({ tree: snapshot.tree, notCovered: snapshot.meta.notCovered, commit, problem, calls }),
  (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
)
console.log(JSON.stringify(told))
