// The agent has the terminal now; when it ends, what it made by itself (a native fork's file) has been proven and is told.
import { AppError } from '../../model/error.ts'
import type { ForkResult } from '../../model/fork.ts'
import type { Started } from '../../model/start.ts'
import type { Context } from '../context.ts'
import { giveTerminal } from './launch.ts'
import { formatProof, hasToBeCopied } from './report.ts'

export async function openHere(context: Context, { fork, proof }: ForkResult): Promise<number> {
  if (hasToBeCopied(fork)) await waitForCopy(context)
  const status = await giveTerminal(context, fork.command)
  if (proof.prefixVerified === null) await reportProof(context, fork.id)
  context.out.note(context.out.noteColors.dim(`To undo this fork: offshoot undo ${fork.id}`))
  return status
}

export async function openStarted(context: Context, { id, command }: Started): Promise<number> {
  const status = await giveTerminal(context, command)
  context.out.note(context.out.noteColors.dim(`To undo this: offshoot undo ${id}`))
  return status
}

/** Agents that take the whole screen hide what was printed before: the user says when they have it. */
async function waitForCopy(context: Context): Promise<void> {
  const terminal = context.terminal()
  if (terminal === null) return
  await context.out.flush()
  const { askLine } = await import('./ask.ts')
  if ((await askLine(terminal, 'Copy the prompt, then press Enter to open the fork. ')) !== null) return
  throw new AppError('interrupted', 'The fork is made and was not opened.')
}

async function reportProof(context: Context, forkId: string): Promise<void> {
  const app = await context.app()
  await app.refresh()
  const made = (await app.listForks()).find(({ fork }) => fork.id === forkId)
  if (made?.proof == null || made.proof.prefixVerified === null) return
  for (const line of formatProof(made.proof, context.out.noteColors)) context.out.note(line)
}
