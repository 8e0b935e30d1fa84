// The dialog behind Escape Escape: the list of prompts, and what to do with the one that was chosen.
import type { Terminal } from '../lib/tmux.ts'
import { waitUntil } from '../lib/wait.ts'

export type RewindChoice =
  | 'Restore conversation'
  /** Offered where files were changed since. */
  | 'Restore code and conversation'
  | 'Summarize from here'
  | 'Summarize up to here'

/** The list does not hold the prompt. */
export class NotOffered extends Error {}

/** Opens the list (Escape Escape), goes up to the prompt that begins like this and chooses what to do with it. */
export async function rewindTo(terminal: Terminal, prompt: string, choice: RewindChoice): Promise<void> {
  terminal.key('Escape', 'Escape')
  await terminal.waitFor('❯ (current)')
  await moveTo(terminal, 'Up', new RegExp(`❯ ${literally(prompt)}`))
  terminal.key('Enter')
  const offered = await terminal.waitFor(/❯ 1\. Restore/)
  const wanted = offered.includes(choice) ? choice : 'Restore conversation'
  await moveTo(terminal, 'Down', new RegExp(`❯ \\d\\.? +${wanted}`))
  terminal.key('Enter')
  await terminal.waitWhile('Rewind')
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Presses a key until the dialog's cursor stands there; each press is seen before the next. */
async function moveTo(terminal: Terminal, key: string, there: RegExp): Promise<void> {
  // 2.1.197 may leave rows of an earlier picture above the dialog, and a blank for a dot.
  const cursor = () =>
    terminal
      .screen()
      .match(/^ +❯ .*$/gm)
      ?.at(-1) ?? ''
  // More prompts above are announced between the two.
  const isFirst = () => /to the point before…\s+❯ /.test(terminal.screen())
  for (let presses = 0; !there.test(cursor()); presses += 1) {
    if (key === 'Up' && isFirst()) throw new NotOffered(`the list does not hold ${there}\n${terminal.screen()}`)
    if (presses > 20) throw new Error(`never came to ${there}\n${terminal.screen()}`)
    const before = cursor()
    terminal.key(key)
    await waitUntil('the cursor to move', () => cursor() !== before, { describe: terminal.screen })
  }
}
