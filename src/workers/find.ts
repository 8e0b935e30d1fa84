// From what a person calls a worker to its entry: name, id, session id or `worker:<name>`.
import { AppError } from '../model/error.ts'
import type { WorkerRecord } from '../store/workers.ts'
import type { WorkerContext } from './context.ts'

export function findRecord(context: WorkerContext, name: string): WorkerRecord {
  return findNamed(context.store().workers.all(), name)
}

type Named = Pick<WorkerRecord, 'id' | 'name' | 'agent' | 'sessionId' | 'endedAt'>

/** Those that run before those that have ended; of the latter the newest. `all` is newest first. */
export function findNamed<W extends Named>(all: readonly W[], name: string): W {
  const wanted = name.replace(/^worker:/, '')
  const open = all.filter(({ endedAt }) => endedAt === null)
  const byId = all.find(({ id }) => id === wanted)
  if (byId !== undefined) return byId
  const called = open.filter((record) => isCalled(record, wanted))
  if (called.length > 1) throw sameName(wanted, called)
  const found = called[0] ?? all.find((record) => isCalled(record, wanted))
  if (found !== undefined) return found
  const prefixed = open.filter(({ name, id }) => wanted.length >= 3 && (name.startsWith(wanted) || id.startsWith(wanted)))
  if (prefixed.length === 1 && prefixed[0] !== undefined) return prefixed[0]
  const near =
    prefixed.length > 0
      ? prefixed.map((each) => each.name)
      : nearest(
          wanted,
          open.map((each) => each.name),
        )
  const mean = near.length === 0 ? '' : ` Did you mean ${near.slice(0, 3).join(' or ')}?`
  const none = open.length === 0 ? ' None runs now.' : ''
  throw new AppError('worker_not_found', `There is no worker "${wanted}".${mean}${none}`, { details: { candidates: near } })
}

function isCalled({ name, agent, sessionId }: Named, wanted: string): boolean {
  return name === wanted || sessionId === wanted || `${agent}:${sessionId}` === wanted
}

/** Names are unique among the workers that whoever gave them may see. */
function sameName(wanted: string, workers: readonly Named[]): AppError {
  const ids = workers.map(({ id }) => id)
  return new AppError('ambiguous', `There are ${ids.length} workers "${wanted}": ${ids.join(', ')}.`, {
    hint: 'Name it by its id.',
    details: { candidates: ids },
  })
}

/** Those that share a word or most of their letters. */
function nearest(wanted: string, names: readonly string[]): string[] {
  const words = new Set(wanted.toLowerCase().split('-'))
  const score = (name: string) => {
    const shared = name.split('-').filter((word) => words.has(word)).length
    const letters = [...name].filter((letter, at) => wanted[at] === letter).length
    return shared * 10 + letters / Math.max(name.length, wanted.length)
  }
  return [...names]
    .map((name) => ({ name, score: score(name) }))
    .filter((each) => each.score >= 0.5)
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name)
}
