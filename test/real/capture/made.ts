// A session that went through all the turns, with the copies the test itself took: what every fork of it is compared with.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CaptureBench, filesOf } from './bench.ts'
import { type Mode, openTalker, type Talker } from './talker.ts'
import { type Step, stepsFor } from './turns.ts'

type Files = Readonly<Record<string, string>>

export interface MadeTurn {
  readonly step: Step
  readonly prompt: string
  /** As the prompt found it, and as the turn left it. */
  readonly start: Files
  readonly end: Files
  /** `git status` then: what is staged and what is not. */
  readonly status: string
}

export interface MadeSession {
  readonly talker: Talker
  readonly sessionId: string
  readonly turns: readonly MadeTurn[]
}

/** `settle` waits for whoever captures, where the agent does not. */
export async function makeSession(
  bench: CaptureBench,
  agent: Talker['agent'],
  mode: Mode,
  settle: (prompt: string) => Promise<unknown> = async () => undefined,
): Promise<MadeSession> {
  const { work, git } = bench
  writeFileSync(join(work, '.gitignore'), 'build/\n')
  git('add', '-A')
  git('commit', '-qm', 'ignore what is built')
  writeFileSync(join(work, 'draft.txt'), 'there before the first prompt')
  const talker = await openTalker(bench, agent, mode)
  const turns: MadeTurn[] = []
  for (const [at, step] of stepsFor(work, mode === 'typed').entries()) {
    step.byHand?.(work, git)
    const start = filesOf(bench, work)
    const prompt = `turn-${at + 1}. ${step.prompt[agent]}`
    if (step.ends === 'failed') await talker.fail(prompt)
    else if (step.ends === 'stopped') await talker.stop(prompt)
    else await talker.say(prompt)
    await settle(prompt)
    turns.push({ step, prompt, start, end: filesOf(bench, work), status: git('status', '--porcelain') })
  }
  await talker.end()
  return { talker, sessionId: talker.sessionId(), turns }
}
