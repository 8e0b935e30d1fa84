// A prompt into a pane, so that it arrives once or not at all: what the agent is doing is looked at right before, the text is
// pasted, Enter follows only when the composer shows it, and that it was taken is seen for oneself. A prompt sent while a
// permission dialog is up would approve the tool call (both agents), so nothing is sent then; and nothing is ever sent twice.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaneLook } from '../agents/runs.ts'
import { AppError } from '../model/error.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { openPaneOf, type PaneSight, seePane } from './pane.ts'
import { waiting } from './refusals.ts'
import type { Transcript } from './transcript.ts'
import { paneOf } from './view.ts'

const stepMs = 50
/** As many as fit into the time on a machine that is not busy: on one that is, each takes longer, and so do the agents. */
const fewestLooks = 25
const longestFactor = 4
const echoMs = 2000
const proofMs = 2000
const escapes = 3
const restoreMs = 400
const mostLines = 200

export type Delivery = 'confirmed' | 'unconfirmed'

export async function sendToPane(
  context: WorkerContext,
  record: WorkerRecord,
  prompt: string,
  transcript: Transcript | null,
): Promise<Delivery> {
  const { terminal, pane, driver } = await openPaneOf(context, record)
  const text = driver.literal(prompt)
  const before = await clearComposer(context, record)
  await terminal.paste(pane, text)
  const shown = await waitFor(context, record, echoMs, ({ look }) => look !== null && look.composer !== before.composer)
  // Something else came up meanwhile: Enter would answer it.
  refuseUnready(shown)
  await terminal.key(pane, 'enter')
  const isTaken = async (sight: PaneSight) =>
    isBusy(sight) || ((await transcript?.newTurn()) ?? null) !== null || (sight.look?.composer === '' && hadText(shown))
  const after = await waitFor(context, record, proofMs, isTaken)
  if (await isTaken(after)) return 'confirmed'
  if (after.look === null || !mayTakeText(after.look) || !holdsText(after.look, before)) return 'unconfirmed'
  await terminal.key(pane, 'enter') // recovers every Enter that was seen lost
  return (await isTaken(await waitFor(context, record, proofMs, isTaken))) ? 'confirmed' : 'unconfirmed'
}

/** Puts a prompt into the composer and does not send it. False where it could not be seen to arrive there. */
export async function draftInPane(context: WorkerContext, record: WorkerRecord, prompt: string): Promise<boolean> {
  try {
    const { terminal, pane } = await openPaneOf(context, record)
    const before = await clearComposer(context, record)
    await terminal.paste(pane, prompt.replace(/\r\n?/g, '\n'))
    return hadText(await waitFor(context, record, echoMs, ({ look }) => look !== null && look.composer !== before.composer))
  } catch (error) {
    // It asks something first, or is gone: the prompt goes back to whoever gave it.
    if (error instanceof AppError) return false
    throw error
  }
}

/** An Escape in the first moments of a turn may be lost. It is only sent again while the turn is seen to run: idle, two mean more. */
export async function escapeTurn(context: WorkerContext, record: WorkerRecord): Promise<void> {
  const { terminal, pane } = await openPaneOf(context, record)
  const { look } = await seePane(context, record)
  for (let tries = 0; tries < escapes; tries += 1) {
    await terminal.key(pane, 'escape')
    const { state } = await waitFor(context, record, proofMs, (sight) => sight.state !== 'running')
    if (state === 'running') continue
    if (look?.composer === '') await clearRestored(context, record)
    return
  }
}

/** Claude Code puts a prompt that it had not begun to answer back into the composer; the next one would be glued to it. */
async function clearRestored(context: WorkerContext, record: WorkerRecord): Promise<void> {
  const { terminal, pane } = await openPaneOf(context, record)
  const isRestored = ({ look }: PaneSight) => (look?.composer ?? '') !== ''
  let sight = await waitFor(context, record, restoreMs, isRestored)
  for (let lines = 0; lines < mostLines && sight.state === 'idle' && isRestored(sight); lines += 1) {
    const before = sight.look?.composer
    await terminal.key(pane, 'ctrl-u')
    sight = await waitFor(context, record, restoreMs, ({ look }) => look?.composer !== before)
  }
}

/** What a person has begun to type there is not sent along with ours: it is refused, not thrown away. */
async function clearComposer(context: WorkerContext, record: WorkerRecord): Promise<PaneLook> {
  const sight = await seePane(context, record)
  refuseOutOfReach(sight)
  refuseUnready(sight)
  const { look } = sight
  if (look === null) throw new AppError('pane_gone', `The pane of "${record.name}" is gone.`)
  if (sight.status?.inputBlocked === true) {
    throw new AppError('worker_busy', `The pane of "${record.name}" takes no input now.`, {
      hint: 'Leave the mode it is in (copy mode, or input switched off) first.',
    })
  }
  if (look.composer !== null && look.composer.trim() !== '') {
    throw new AppError('worker_busy', `Somebody has begun to type in the pane of "${record.name}".`, {
      hint: 'Send or clear what stands there first.',
    })
  }
  return look
}

/** Whatever its agent is doing there. */
function refuseOutOfReach({ record, status }: PaneSight): void {
  if (record.endedAt !== null || paneOf(record)?.terminal !== 'print') return
  const { name } = record
  throw new AppError('refused', `"${name}" runs in a terminal of your own, where offshoot cannot type.`, {
    hint: status?.pid == null ? `Run its command first, then type there: \`offshoot attach ${name}\`.` : 'Type there.',
  })
}

function refuseUnready({ record, state, look }: PaneSight): void {
  const { name } = record
  switch (state) {
    case 'idle':
      return
    case 'waiting':
      throw waiting(record, look?.question ?? null)
    case 'running':
      throw new AppError('worker_busy', `"${name}" is answering.`)
    case 'starting':
      throw new AppError('worker_busy', `"${name}" is not ready yet.`)
    default:
      throw new AppError('worker_ended', `"${name}" has ended.`)
  }
}

function isBusy({ state, look }: PaneSight): boolean {
  return state === 'running' || (state === 'waiting' && look?.state === 'waiting')
}

function mayTakeText({ state }: PaneLook): boolean {
  return state === 'idle'
}

function hadText({ look }: PaneSight): boolean {
  return look?.composer != null && look.composer !== ''
}

function holdsText(look: PaneLook, before: PaneLook): boolean {
  return look.composer !== null && look.composer !== '' && look.composer !== before.composer
}

/** The last sight, whether or not what was waited for came. */
async function waitFor(
  context: WorkerContext,
  record: WorkerRecord,
  forMs: number,
  isThere: (sight: PaneSight) => boolean | Promise<boolean>,
): Promise<PaneSight> {
  const until = performance.now() + forMs
  const fewest = (fewestLooks * forMs) / proofMs
  for (let looks = 1; ; looks += 1) {
    const sight = await seePane(context, record)
    const late = performance.now() - until
    const isOver = late >= 0 && (looks >= fewest || late >= longestFactor * forMs)
    if ((await isThere(sight)) || isOver || sight.record.endedAt !== null) return sight
    await sleep(stepMs)
  }
}
