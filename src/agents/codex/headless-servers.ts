// App-servers that run threads: one for all conversations with the same environment and flags, opened with the first and closed
// with the last. What it says goes to the conversation whose thread it speaks of.
import { anyFolder } from '../../lib/exec.ts'
import type { AgentEnv } from '../agent-env.ts'
import { type OpenServer, openAppServer, type RequestId } from './app-server.ts'
import { type Body, textOrNull } from './lines.ts'

export interface ThreadListener {
  notified(method: string, params: Body): void
  asked(id: RequestId, method: string, params: Body): void
}

/** One conversation's hold on a server. */
export interface HeldServer {
  readonly server: OpenServer
  /** Nobody else holds it: it ends with this one. */
  readonly isLast: boolean
  /** Opening a thread again would change how the one who has it works. */
  isHeard(threadId: string): boolean
  /** A thread has one listener; false when it has one already. */
  listen(threadId: string, listener: ThreadListener): boolean
  release(): Promise<void>
}

export interface Servers {
  acquire(vars: AgentEnv['vars'], flags: readonly string[]): Promise<HeldServer>
}

export function createServers(): Servers {
  const open = new Map<string, Promise<SharedServer>>()

  async function start(key: string, vars: AgentEnv['vars'], flags: readonly string[]): Promise<SharedServer> {
    const shared = new SharedServer()
    const forget = () => {
      if (open.get(key) === opening) open.delete(key)
    }
    const opening = openAppServer({ cwd: anyFolder, vars, flags }, shared).then((server) => shared.opened(server, forget))
    open.set(key, opening)
    opening.catch(forget)
    return opening
  }

  return {
    async acquire(vars, flags) {
      const key = JSON.stringify([Object.entries(vars).sort(), flags])
      const shared = await (open.get(key) ?? start(key, vars, flags))
      // It may have ended while we waited for it.
      return shared.hold() ?? (await start(key, vars, flags)).hold() ?? Promise.reject(new Error('a server ended at once'))
    },
  }
}

class SharedServer {
  private readonly threads = new Map<string, ThreadListener>()
  private server: OpenServer | null = null
  private forget: () => void = () => undefined
  private holders = 0
  private over = false

  opened(server: OpenServer, forget: () => void): this {
    this.server = server
    this.forget = () => {
      this.over = true
      forget()
    }
    server.ended.then(this.forget)
    return this
  }

  hold(): HeldServer | null {
    const { server } = this
    if (server === null || this.over) return null
    this.holders += 1
    const mine = new Set<string>()
    let held = true
    const shared = this
    return {
      server,
      get isLast() {
        return shared.holders === 1
      },
      isHeard: (threadId) => this.threads.has(threadId),
      listen: (threadId, listener) => {
        if (this.threads.has(threadId)) return false
        this.threads.set(threadId, listener)
        mine.add(threadId)
        return true
      },
      release: async () => {
        if (!held) return
        held = false
        for (const threadId of mine) this.threads.delete(threadId)
        this.holders -= 1
        if (this.holders > 0) return
        this.forget()
        await server.close()
      },
    }
  }

  notified(method: string, params: Body): void {
    this.listenerOf(params)?.notified(method, params)
  }

  asked(id: RequestId, method: string, params: Body): void {
    const listener = this.listenerOf(params)
    if (listener === undefined) this.server?.refuse(id, 'nobody here answers for this thread')
    else listener.asked(id, method, params)
  }

  private listenerOf({ threadId }: Body): ThreadListener | undefined {
    return this.threads.get(textOrNull(threadId) ?? '')
  }
}
