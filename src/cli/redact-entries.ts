// A session on its way into a document that may be passed on: every text in it goes through the redactor.
import type { Entry } from '../agents/reading.ts'
import type { CatalogSession } from '../model/catalog.ts'
import type { Message, Turn } from '../model/session.ts'
import type { Redactor } from '../redact/redact.ts'

export async function* redactEntries(entries: AsyncIterable<Entry>, redactor: Redactor): AsyncGenerator<Entry> {
  for await (const entry of entries) {
    if (entry.kind === 'turn') yield { kind: 'turn', turn: await redactTurn(entry.turn, redactor) }
    else if (entry.kind === 'message') yield { kind: 'message', message: await redactMessage(entry.message, redactor) }
    else yield entry
  }
}

export async function redactTurn(turn: Turn, { redact }: Redactor): Promise<Turn> {
  return { ...turn, prompt: await redact(turn.prompt) }
}

export async function redactHead(session: CatalogSession, { redact }: Redactor): Promise<CatalogSession> {
  const orNull = async (text: string | null) => (text === null ? null : redact(text))
  return {
    ...session,
    title: await redact(session.title),
    branch: await orNull(session.branch),
    cwd: await orNull(session.cwd),
    broken: await orNull(session.broken),
  }
}

async function redactMessage(message: Message, { redact, redactValue }: Redactor): Promise<Message> {
  const { tool, thinking } = message
  return {
    ...message,
    text: await redact(message.text),
    ...(thinking === undefined ? {} : { thinking: await redact(thinking) }),
    ...(tool === undefined
      ? {}
      : {
          tool: {
            ...tool,
            arguments: await redactValue(tool.arguments),
            output: tool.output === null ? null : await redact(tool.output),
          },
        }),
  }
}
