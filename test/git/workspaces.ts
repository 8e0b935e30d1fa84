// A repository, a place for workspaces and short ways to plan and make them; fresh for every test.
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { readCodeState } from '../../src/snapshots/code-state.ts'
import type { Git } from '../../src/snapshots/git.ts'
import { createWorkspace, type MadeWorkspace } from '../../src/snapshots/workspace.ts'
import { planWorkspace, type WorkspacePlan, type WorkspaceWish } from '../../src/snapshots/workspace-plan.ts'
import { git, makeRepository, makeScratch, type Scratch, testGit } from './scratch.ts'

export interface Workspaces {
  readonly scratch: Scratch
  readonly root: string
  readonly worktreesRoot: string
  plan(wish?: Partial<WorkspaceWish>): Promise<WorkspacePlan>
  create(plan: WorkspacePlan, code?: 'now' | 'head', git?: Git): Promise<MadeWorkspace>
  /** All in one: reads, plans and makes. */
  fork(folder?: string, code?: 'now' | 'head'): Promise<MadeWorkspace & { readonly path: string }>
  branches(): string[]
  /** How many git knows, the first one included. */
  countWorktrees(): number
}

/** To be read inside of a test only: before it there is nothing. */
export function useWorkspaces(): Workspaces {
  let scratch: Scratch
  beforeEach(() => {
    scratch = makeScratch()
    makeRepository(join(scratch.path, 'my repo'))
  })
  afterEach(() => scratch.remove())
  return {
    get scratch() {
      return scratch
    },
    get root() {
      return join(scratch.path, 'my repo')
    },
    get worktreesRoot() {
      return join(scratch.path, 'home', 'worktrees')
    },
    async plan(wish = {}) {
      const { repository, commit } = await readCodeState(testGit(), this.root)
      return planWorkspace(testGit(), repository, { worktreesRoot: this.worktreesRoot, baseCommit: commit, ...wish })
    },
    async create(plan, code = 'now', calls = testGit()) {
      const { repository } = await readCodeState(testGit(), this.root)
      return createWorkspace(calls, repository, plan, code)
    },
    async fork(folder, code = 'now') {
      const { repository, commit } = await readCodeState(testGit(), folder ?? this.root)
      const wish = { worktreesRoot: this.worktreesRoot, baseCommit: commit }
      const plan = await planWorkspace(testGit(), repository, wish)
      return { ...(await createWorkspace(testGit(), repository, plan, code)), path: plan.path }
    },
    branches() {
      return git(this.root, ['branch', '--list', '--format=%(refname:short)']).trim().split('\n')
    },
    countWorktrees() {
      return git(this.root, ['worktree', 'list', '--porcelain']).match(/^worktree /gm)?.length ?? 0
    },
  }
}
