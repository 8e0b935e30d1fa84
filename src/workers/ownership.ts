// Who holds a headless worker: one process at a time writes into its session. That of a dead process is taken over; one that lives
// is named, with what can be done about it.
import { commandOf, describeProcess, isHere, isRunning } from '../lib/process-owner.ts'
import { AppError } from '../model/error.ts'
import type { WorkerHolder } from '../model/worker.ts'
import type { WorkerOwner, WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'
import { amend } from './register.ts'

type Ownership = ReturnType<typeof createOwnership>

export function createOwnership(context: WorkerContext) {
  let self: WorkerOwner | undefined
  /** Made when first asked for: most commands run no worker, and describing a process takes reading about it. */
  const us = (): WorkerOwner => {
    self ??= { ...describeProcess(process.pid), instance: crypto.randomUUID() }
    return self
  }

  function heldElsewhere({ owner }: WorkerRecord): WorkerOwner | null {
    return owner !== null && owner.instance !== us().instance && isRunning(owner) ? owner : null
  }

  return {
    us,
    heldElsewhere,

    /** Taken over from a process that is dead; refused while another one lives. */
    claim(id: string): WorkerRecord {
      const record = amend(context, id, (stored) => {
        const holder = heldElsewhere(stored)
        if (holder !== null) throw heldBy(stored, holder)
        return { owner: us() }
      })
      if (record === null) throw new AppError('worker_not_found', 'This worker is gone.')
      return record
    },
  }
}

/** `null`: it is ours to run. Another process that cannot be spoken to keeps it. */
export async function holderOf(
  context: WorkerContext,
  { heldElsewhere }: Pick<Ownership, 'heldElsewhere'>,
  record: WorkerRecord,
): Promise<WorkerHolder | null> {
  const owner = record.kind === 'headless' ? heldElsewhere(record) : null
  if (owner === null) return null
  const holder = await context.reachHolder(owner)
  if (holder === null) throw heldBy(record, owner)
  return holder
}

export function heldBy({ name, state }: WorkerRecord, owner: WorkerOwner): AppError {
  const { pid, host } = owner
  const isNear = isHere(owner)
  const command = isNear ? commandOf(pid) : null
  const who = `process ${pid}${command === null ? '' : ` (${command})`}${isNear ? '' : ` on ${host}`}`
  const doing = state === 'running' ? ', which is at a turn of it' : state === 'waiting' ? ', where it waits for an answer' : ''
  return new AppError('worker_busy', `"${name}" is held by another offshoot: ${who}${doing}.`, {
    hint: isNear
      ? `Use it there. It is free as soon as that process ends (kill ${pid}), or has let it rest for 15 minutes. A fork works at any time: \`offshoot fork worker:${name}\`.`
      : `Whether that still runs cannot be told from here. Use it there, or fork it: \`offshoot fork worker:${name}\`.`,
    details: { pid, host, command, state },
  })
}
