// Makes one workspace in this process and tells how long it took: node carry.mjs <now|head> <repository> <worktrees root>
import { exec } from '../../dist/lib/exec.js'
import { readCodeState } from '../../dist/snapshots/code-state.js'
import { createGit } from '../../dist/snapshots/git.js'
import { createWorkspace } from '../../dist/snapshots/workspace.js'
import { planWorkspace } from '../../dist/snapshots/workspace-plan.js'

const [code, root, worktreesRoot] = process.argv.slice(2)
const git = createGit({ exec, env: process.env })

const startedAt = performance.now()
const { repository, commit } = await readCodeState(git, root)
const plan = await planWorkspace(git, repository, { worktreesRoot, baseCommit: commit })
const plannedAt = performance.now()
const { report } = await createWorkspace(git, repository, plan, code)
const endedAt = performance.now()
console.log(
  JSON.stringify({
    planMs: plannedAt - startedAt,
    makeMs: endedAt - plannedAt,
    path: plan.path,
    differences: report.differences,
  }),
)
