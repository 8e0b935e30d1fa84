// `offshoot export`: a session as a document to keep or pass on. Secrets are taken out unless one asks to keep them.
import { resolve } from 'node:path'
import type { Entry } from '../../agents/reading.ts'
import { AppError } from '../../model/error.ts'
import type { Turn } from '../../model/session.ts'
import type { Context } from '../context.ts'
import type { DocumentHead, DocumentWriter } from '../documents/document.ts'
import { entriesOf } from '../entries.ts'
import { createFileSink } from '../file-sink.ts'
import { refreshWithMeter } from '../progress.ts'

export interface ExportOptions {
  readonly format: 'markdown' | 'json' | 'html'
  readonly output?: string | undefined
  readonly force?: true | undefined
  readonly redact: boolean
}

export async function exportSession(context: Context, address: string, options: ExportOptions): Promise<void> {
  const isFile = options.output !== undefined && options.output !== '-'
  if (options.force === true && !isFile)
    throw new AppError('usage', '--force overwrites a file, and none is written.', { hint: 'Name one with --output.' })
  const app = await context.app()
  await refreshWithMeter(context, app)
  const target = await app.resolve(address)
  const turns = target.turn === null ? await app.listTurns(target.session) : []
  const plain = { head: { session: target.session, turn: target.turn, turns }, entries: entriesOf(app, target) }
  const { head, entries } = options.redact ? await redacted(plain) : plain
  const writer = await chooseWriter(options.format)
  if (options.output === undefined || options.output === '-') {
    await writeDocument(writer, head, entries, (text) => context.out.write(text))
  } else {
    await exportToFile(context, resolve(context.cwd, options.output), options, (write) =>
      writeDocument(writer, head, entries, write),
    )
  }
}

type Write = (text: string) => unknown

async function writeDocument(
  writer: DocumentWriter,
  head: DocumentHead,
  entries: AsyncIterable<Entry>,
  write: Write,
): Promise<void> {
  await write(writer.begin(head))
  for await (const entry of entries) await write(writer.entry(entry))
  await write(writer.end())
}

async function exportToFile(
  context: Context,
  path: string,
  options: ExportOptions,
  work: (write: Write) => Promise<void>,
): Promise<void> {
  const sink = createFileSink(path, { force: options.force === true })
  context.onExit(() => sink.discard())
  await work((text) => sink.write(text))
  sink.commit()
  const secrets = options.redact ? 'secrets redacted' : 'secrets left in: readable by you alone'
  context.out.note(`Wrote ${path} (${Math.ceil(sink.bytes / 1000)} KB, ${secrets})`)
}

interface Plain {
  readonly head: DocumentHead
  readonly entries: AsyncIterable<Entry>
}

async function redacted({ head, entries }: Plain): Promise<Plain> {
  const { createRedactor } = await import('../../redact/redact.ts')
  const { redactEntries, redactHead, redactTurn } = await import('../redact-entries.ts')
  const redactor = createRedactor()
  const redactAll = (turns: readonly Turn[]) => Promise.all(turns.map((turn) => redactTurn(turn, redactor)))
  const session = await redactHead(head.session, redactor)
  const turn = head.turn === null ? null : await redactTurn(head.turn, redactor)
  return { head: { session, turn, turns: await redactAll(head.turns) }, entries: redactEntries(entries, redactor) }
}

async function chooseWriter(format: ExportOptions['format']): Promise<DocumentWriter> {
  if (format === 'json') return (await import('../documents/json.ts')).createJsonWriter()
  if (format === 'html') return (await import('../documents/html.ts')).createHtmlWriter()
  return (await import('../documents/markdown.ts')).createMarkdownWriter({ tools: true })
}
