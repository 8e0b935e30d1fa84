// From what a person calls a worker in `offshoot fork`, with `worker:` before it or without, to its address.
import type { App } from '../../app.ts'
import { AppError } from '../../model/error.ts'
import { sessionAddress } from '../../model/render.ts'

/** `null`: it names no worker. A name that is a session's address too is refused. */
export async function workerAddress(app: App, address: string): Promise<string | null> {
  if (address.startsWith('worker:')) return address
  const at = address.lastIndexOf('@')
  const name = at === -1 ? address : address.slice(0, at)
  if (!/^[\w-]+$/.test(name) || !(await isWorker(app, name))) return null
  const session = await sessionCalled(app, name)
  if (session === null) return `worker:${address}`
  const candidates = [`worker:${name}`, session]
  throw new AppError('ambiguous', `"${name}" is a worker and a session: ${candidates.join(', ')}.`, {
    hint: 'Write out which one you mean.',
    details: { candidates },
  })
}

/** Where it names no session, workers with such a name are suggested too. */
export async function orNearWorker<T>(app: App, address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'session_not_found') throw error
    const near = await nearWorkers(app, address)
    if (near.length === 0) throw error
    const names = near.map((name) => `worker:${name}`)
    throw new AppError(error.code, `${error.message} Did you mean ${names.join(' or ')}?`, {
      hint: error.hint,
      details: { candidates: names },
      cause: error,
    })
  }
}

async function nearWorkers(app: App, name: string): Promise<readonly string[]> {
  try {
    return [(await app.findWorker(name)).name]
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'worker_not_found') throw error
    return (error.details as { readonly candidates: readonly string[] }).candidates
  }
}

/** By its name or id alone: what begins like one, or is the id of its session, is not called so. */
async function isWorker(app: App, name: string): Promise<boolean> {
  try {
    const worker = await app.findWorker(name)
    return worker.name === name || worker.id === name
  } catch (error) {
    if (error instanceof AppError && error.code === 'worker_not_found') return false
    throw error
  }
}

async function sessionCalled(app: App, name: string): Promise<string | null> {
  try {
    return sessionAddress((await app.resolve(name)).session)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'session_not_found' || error.code === 'bad_address') return null
    throw error
  }
}
