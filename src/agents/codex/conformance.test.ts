import { runAgentConformance } from '../conformance.ts'
import type { ConformanceSample } from '../conformance-fixture.testkit.ts'
import { codexEnv, placeRollout, placeSample, readSample, rolloutPath } from './home.testkit.ts'
import { codex } from './index.ts'

const parent = '02-exec-4turns-shell-patch.jsonl'

/** What a sample builds on, and the segment id of its name. */
const surroundings: Record<string, { readonly needs?: readonly string[]; readonly segmentId?: string }> = {
  '03-exec-fork-child.jsonl': { needs: [parent] },
  '04-fork-at-turn-into-worktree.jsonl': { needs: [parent] },
  '07-tui-escesc-revert-segment.jsonl': {
    needs: [parent, '07b-tui-fork-original-segment.jsonl'],
    segmentId: '01a1ddfa-9ebd-7000-8000-000000000001',
  },
}

function sample(name: string): ConformanceSample {
  const content = readSample(name)
  const { needs = [], segmentId } = surroundings[name] ?? {}
  return {
    name,
    content,
    place(home, now) {
      for (const needed of needs) placeSample(home, needed)
      return placeRollout(rolloutPath(home, content, segmentId), now)
    },
  }
}

runAgentConformance(codex, {
  env: codexEnv,
  samples: [
    '02-exec-4turns-shell-patch.jsonl',
    '03-exec-fork-child.jsonl',
    '04-fork-at-turn-into-worktree.jsonl',
    '05-fork-while-turn-running.jsonl',
    '07-tui-escesc-revert-segment.jsonl',
    '09-tui-interrupt-compact.jsonl',
    '10-minimal-handmade-legacy.jsonl',
    '11-legacy-mode-3turns.jsonl',
    '12-legacy-fork-at-turn1.jsonl',
    '13-hook-context-and-stop-block.jsonl',
    '16-failed-turn.jsonl',
    'old-0.142.0-exec-one-turn.jsonl',
    'old-0.150.0-exec-one-turn.jsonl',
    'old-0.158.0-exec-one-turn.jsonl',
  ].map(sample),
  small: sample('old-0.142.0-exec-one-turn.jsonl'),
})
