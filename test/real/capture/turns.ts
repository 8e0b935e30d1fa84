// The turns every test of captured code goes through: all the ways in which files change while an agent works, and what a person
// does in between. Prompts hold no line breaks, so that they can be typed.
import { appendFileSync, chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentId } from '../../../src/model/session.ts'

export interface Step {
  /** For either agent, by its own tools. */
  readonly prompt: Readonly<Record<AgentId, string>>
  readonly ends?: 'failed' | 'stopped'
  /** What the person does before the prompt. */
  readonly byHand?: (work: string, git: (...args: string[]) => string) => void
}

const shell = (command: string, after = ''): Step['prompt'] => ({
  claude: `[[bash:${command}]]${after}`,
  codex: `[[shell: ${command}]]${after}`,
})
const words = (text: string): Step['prompt'] => ({ claude: text, codex: text })

/** Only a person at a terminal can stop a turn. */
export function stepsFor(work: string, canStop: boolean): Step[] {
  return [
    { prompt: { claude: `[[write:${work}/src/new.txt:new]]`, codex: '[[patch: src/new.txt|new]]' } },
    {
      prompt: {
        claude: `[[read:${work}/notes.txt]] [[edit:${work}/notes.txt:first:second]]`,
        codex: '[[edit: notes.txt|first note|second note]]',
      },
    },
    {
      prompt: shell(
        'mkdir -p made build && echo sh > made/x && ln -s made link && echo log > build/out && echo run > go && chmod +x go',
      ),
    },
    { prompt: shell(`rm README.md && printf 'a\\000b\\377' > 'od d ü "q".bin'`) },
    { prompt: shell('git mv notes.txt renamed.txt && chmod +x src/new.txt && rm link && ln -s src link') },
    { prompt: words('just an answer') },
    {
      prompt: shell('echo more >> made/x'),
      byHand(at) {
        appendFileSync(join(at, 'renamed.txt'), 'by hand')
        writeFileSync(join(at, 'hand.txt'), 'new by hand')
        rmSync(join(at, 'link'))
      },
    },
    {
      prompt: words('after a commit by hand'),
      byHand(at, git) {
        writeFileSync(join(at, 'src', 'hand.txt'), 'committed by hand')
        git('add', '-A')
        git('commit', '-qm', 'by hand')
      },
    },
    // Both may be captured by the next prompt only, so nothing is done by hand until then.
    { prompt: shell('echo half > half.txt', ' [[error:400]] [[fail: 400]]'), ends: 'failed' },
    ...(canStop ? [{ prompt: shell('echo stopped > stopped.txt', ' [[hang]]'), ends: 'stopped' } as const] : []),
    { prompt: shell('mv src/new.txt src/moved.txt') },
    {
      prompt: shell('git add -A && echo unstaged >> src/hand.txt && echo untracked > last.txt && git rm -q --cached go'),
      byHand(at, git) {
        git('checkout', '-q', '-b', 'other')
        git('commit', '-q', '--amend', '--allow-empty', '-m', 'amended by hand')
        symlinkSync('hand.txt', join(at, 'by-hand'))
        chmodSync(join(at, 'go'), 0o644)
      },
    },
  ]
}
