// What the official SDK says of the sessions in a sandbox.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '../real/lib/sandbox.ts'

export interface SdkMessage {
  readonly type: 'user' | 'assistant' | 'system'
  readonly uuid: string
  readonly message: { readonly id?: string; readonly model?: string; readonly content: unknown }
}

export interface SdkSession {
  readonly sessionId: string
  readonly summary: string
  readonly customTitle?: string
  readonly firstPrompt?: string
}

export interface Sdk {
  messages(id: string): Promise<readonly SdkMessage[]>
  sessions(): Promise<readonly SdkSession[]>
  close(): void
}

interface Answer {
  readonly number: number
  readonly value?: unknown
  readonly error?: string
}

export function startSdk({ env, work }: Sandbox): Sdk {
  const child = fork(fileURLToPath(new URL('./sdk-reader.mjs', import.meta.url)), { env, execArgv: [] })
  const waiting = new Map<number, (answer: Answer) => void>()
  let count = 0
  child.on('message', (answer: Answer) => waiting.get(answer.number)?.(answer))

  async function ask(call: string, ...args: unknown[]): Promise<unknown> {
    count += 1
    const number = count
    const answer = await new Promise<Answer>((resolve, reject) => {
      waiting.set(number, resolve)
      child.once('exit', reject)
      child.send({ number, call, args })
    })
    waiting.delete(number)
    child.removeAllListeners('exit')
    if (answer.error !== undefined) throw new Error(`the SDK failed at ${call}: ${answer.error}`)
    return answer.value
  }

  return {
    messages: async (id) => (await ask('getSessionMessages', id, { dir: work })) as SdkMessage[],
    sessions: async () => (await ask('listSessions', { dir: work })) as SdkSession[],
    close: () => child.kill(),
  }
}
