// `offshoot show`: a session, a turn or a message, to read. Streams, so that the size of a session does not matter; prints
// what is there, since these are the person's own files on their own terminal (copies are what gets redacted).
import { openRegularHandle } from '../../lib/regular-file.ts'
import { cleanText } from '../../lib/text/clean.ts'
import type { Target } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import type { Context } from '../context.ts'
import type { DocumentWriter } from '../documents/document.ts'
import { entriesOf } from '../entries.ts'
import { refreshWithMeter } from '../progress.ts'

export interface ShowOptions {
  readonly json?: true | undefined
  readonly markdown?: true | undefined
  readonly tools?: true | undefined
  readonly raw?: true | undefined
}

export async function showSession(context: Context, address: string, options: ShowOptions): Promise<void> {
  const app = await context.app()
  await refreshWithMeter(context, app)
  const target = await app.resolve(address)
  if (options.raw === true) return printRaw(context, target)
  const writer = await chooseWriter(context, options)
  const { out } = context
  await out.write(writer.begin({ session: target.session, turn: target.turn, turns: [] }))
  for await (const entry of entriesOf(app, target)) await out.write(writer.entry(entry))
  await out.write(writer.end())
}

async function chooseWriter({ out }: Context, options: ShowOptions): Promise<DocumentWriter> {
  const tools = options.tools === true
  if (options.json === true) return (await import('../documents/json.ts')).createJsonWriter()
  if (options.markdown === true) return (await import('../documents/markdown.ts')).createMarkdownWriter({ tools })
  const { createTerminalWriter } = await import('../documents/terminal.ts')
  return createTerminalWriter({ colors: out.colors, columns: out.columns, tools })
}

/** The agent's own lines: byte for byte into a pipe, made safe for a terminal. */
async function printRaw({ out }: Context, { session, turn, messageId }: Target): Promise<void> {
  if (turn !== null || messageId !== null) {
    throw new AppError('usage', '--raw prints the whole file of a session, not one turn', {
      hint: 'Leave out what follows the @, or use --json.',
    })
  }
  if (session.path.endsWith('.zst')) {
    throw new AppError('usage', `${session.path} is compressed; --raw prints files as they are`, {
      hint: 'Use --json, or `zstdcat` on the file.',
    })
  }
  try {
    const file = await openRegularHandle(session.path)
    const stream = file.createReadStream({ highWaterMark: 1 << 18 })
    if (out.isTerminal) stream.setEncoding('utf8') // else a character at the edge of a chunk would be torn
    for await (const chunk of stream) await (typeof chunk === 'string' ? out.write(cleanText(chunk)) : out.writeBytes(chunk))
  } catch (cause) {
    const hint = 'Its agent deleted it; without --raw offshoot reads the copy in its archive.'
    throw new AppError('unreadable', `Cannot read ${session.path}`, { cause, ...(session.state === 'gone' ? { hint } : {}) })
  }
}
