// A plan and its session to render in tests.
import type { CatalogSession } from '../../model/catalog.ts'
import type { Plan } from '../../model/fork.ts'

export const session = {
  agent: 'claude',
  id: '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7',
  title: 'Give every task a due date.',
} as CatalogSession

export function makePlan(changes: Partial<Plan> = {}): Plan {
  return {
    id: 'abcdefgh',
    agent: 'claude',
    model: 'claude-opus-5-5',
    title: 'Fork of Give every task a due date.',
    parent: {
      agent: 'claude',
      sessionId: session.id,
      turnId: 'turn-2',
      turnNumber: 2,
      messageId: 'message-9',
      kind: 'prefix',
    },
    turn: {
      number: 2,
      id: 'turn-2',
      prompt: 'Write tests for it\nand run them.',
      startedAt: 0,
      endedAt: 1000,
      messages: 4,
      lastMessageId: 'message-9',
      state: 'complete',
      afterCompaction: false,
    },
    cut: { kind: 'turn', turnId: 'turn-2' },
    keptTurns: 2,
    droppedTurns: 1,
    strategy: 'prefix',
    strategyReason: 'Claude Code itself can fork only at the tip',
    tokens: { estimate: 84_000, source: 'observed', contextWindow: 200_000, contextWindowSource: 'agent', percent: 42 },
    seed: null,
    cost: { cached: 0.0336, uncached: 0.336, currency: 'USD' },
    code: {
      mode: 'now',
      commit: '7b94e94474480000',
      dirtyFiles: ['todo.mjs'],
      untracked: ['ideas.md'],
      leftBehind: ['node_modules/'],
      included: [],
      submodules: [],
    },
    workspace: { path: '/home/me/.offshoot/worktrees/todo/abcdefgh', branch: 'offshoot/session/abcdefgh' },
    cwd: '/home/me/.offshoot/worktrees/todo/abcdefgh',
    send: false,
    setup: null,
    terminal: 'print',
    warnings: [],
    confirm: [],
    blockers: [],
    steps: ['Make the workspace.', 'Write a session.'],
    seen: null,
    ...changes,
  }
}
