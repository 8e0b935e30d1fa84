// The agent has the terminal now; when it ends, what it made by itself (a native fork's file) has been proven and is told.
import type { ForkResult } from '../../model/fork.ts'
import type { Started } from '../../model/start.ts'
import type { Context } from '../context.ts'
import { giveTerminal } from './launch.ts'
import { formatProof } from './report.ts'

export async function openHere(context: Context, { fork, proof }: ForkResult): Promise<number> {
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

async function reportProof(context: Context, forkId: string): Promise<void> {
  const app = await context.app()
  await app.refresh()
  const made = (await app.listForks()).find(({ fork }) => fork.id === forkId)
  if (made?.proof == null || made.proof.prefixVerified === null) return
  for (const line of formatProof(made.proof, context.out.noteColors)) context.out.note(line)
}
