// A turn of a worker on the command line: the answer as it comes, tool calls as notes, questions asked where there is a person.
// Ctrl-C interrupts the answer, not the command.
import type { App } from '../../app.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { ownReasons } from '../../model/own-reasons.ts'
import type { PermissionRequest, RunEvent } from '../../model/run.ts'
import type { SendResult } from '../../model/worker.ts'
import type { Context } from '../context.ts'
import type { Terminal } from '../terminal.ts'
import { describeAsked } from './describe.ts'

export interface StreamOptions {
  readonly wait: boolean
  readonly json: boolean
  readonly timeoutMs?: number | undefined
}

export async function streamTurn(
  context: Context,
  app: App,
  name: string,
  prompt: string,
  { wait, json, timeoutMs }: StreamOptions,
): Promise<SendResult> {
  const worker = await app.findWorker(name)
  const printer = createPrinter(context)
  const asker = createAsker(context, app, worker.name, worker.kind === 'headless', json ? null : context.terminal())
  const onEvent = (event: RunEvent) => {
    if (!json) printer.show(event)
    if (event.kind === 'permission') asker.ask(event.request)
  }
  const release = context.takeSignals(() => {
    context.out.note('Interrupting ...')
    app.interruptWorker(worker.id).catch((error: unknown) => context.out.note(errorMessage(error)))
  })
  try {
    // This command ends when the time is over, and with it a turn that it runs itself.
    const limit = { atTimeout: 'interrupt' as const, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
    const result = await app.sendToWorker(worker.id, prompt, { wait, onEvent, ...limit })
    if (!json) await printer.finish(result)
    return result
  } finally {
    release()
    await asker.settled()
  }
}

/** The answer goes to stdout; what happened on the way to stderr. */
function createPrinter({ out }: Context) {
  const { dim, yellow } = out.noteColors
  let written = ''
  const endLine = () => {
    if (written !== '' && !written.endsWith('\n')) void out.write('\n')
    void out.flush()
  }
  return {
    show(event: RunEvent): void {
      switch (event.kind) {
        case 'text':
          written += event.delta
          void out.write(cleanText(event.delta))
          if (out.isTerminal) void out.flush()
          return
        case 'message':
          // What came as deltas was written already.
          if (!written.trimEnd().endsWith(event.text.trimEnd())) {
            endLine()
            void out.write(cleanText(event.text))
            written += event.text
          }
          return
        case 'tool_call':
          endLine()
          written = ''
          out.note(dim(`  ${cleanLine(event.tool)} ${cleanLine(shorten(event.arguments))}`))
          return
        case 'tool_result':
          if (!event.failed) return
          endLine()
          written = ''
          out.note(dim(`  failed: ${cleanLine(shorten(firstWords(event.output)))}`))
          return
        case 'notice':
          out.note(yellow(cleanLine(event.text)))
          return
        default:
          return
      }
    },
    async finish({ answer, outcome, delivery, worker, error }: SendResult): Promise<void> {
      if (answer !== null && !written.trimEnd().endsWith(answer.trimEnd())) {
        endLine()
        written = answer
        await out.write(cleanText(answer))
      }
      endLine()
      if (delivery === 'unconfirmed') {
        out.note(yellow(`It is not known whether "${worker.name}" has taken the prompt; it was not sent twice.`))
      }
      if (outcome === 'interrupted') out.note(yellow('The turn was interrupted.'))
      if (outcome === 'failed') out.note(yellow(`The turn failed${error === null ? '.' : `: ${cleanText(error)}`}`))
      if (outcome === 'running' && delivery === 'confirmed')
        out.note(dim(`"${worker.name}" is at work; see \`offshoot workers\`.`))
    },
  }
}

/** What agents say of a run in front of what it wrote. */
const aboutRun =
  /^(?:(?:Chunk ID|Wall time|Original token count|Output|Exit code):.*|Process exited with code -?\d+|Exit code -?\d+|\s*)$/

/** The first line that a tool wrote; where it wrote nothing, what the agent says of the run. */
function firstWords(output: string): string {
  const lines = output.split('\n')
  return lines.find((line) => !aboutRun.test(line)) ?? lines.find((line) => /\bexit/i.test(line)) ?? 'it wrote nothing.'
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 160 ? `${text.slice(0, 159)}…` : text
}

/** One question at a time. A worker in a pane is answered there; where nobody can be asked the answer is no. */
function createAsker(context: Context, app: App, name: string, isHeadless: boolean, terminal: Terminal | null) {
  let asking: Promise<void> = Promise.resolve()
  const { yellow } = context.out.noteColors
  async function answer(request: PermissionRequest): Promise<void> {
    const question = `"${name}" asks: ${cleanLine(describeAsked(request))}`
    if (!isHeadless) {
      context.out.note(yellow(`${question} Answer in its pane: offshoot attach ${name}`))
      return
    }
    if (terminal === null) {
      context.out.note(yellow(`${question} Nobody can be asked here: refused.`))
      await app.answerPermission(name, request.id, { verdict: 'deny', reason: ownReasons.nobodyToAsk })
      return
    }
    const { askPerson } = await import('./ask-person.ts')
    await app.answerPermission(name, request.id, await askPerson(terminal, name, request))
  }
  return {
    ask(request: PermissionRequest): void {
      asking = asking
        .then(() => answer(request))
        // Its turn has ended meanwhile: there is nothing left to answer.
        .catch((error: unknown) => context.out.note(errorMessage(error)))
    },
    settled: () => asking,
  }
}
