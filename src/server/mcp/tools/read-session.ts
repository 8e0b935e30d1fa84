// `read_session`: the text of a session, by pages of bounded size. The one way to full text (SF2), and never without the mark that
// it is not to be trusted.
import { z } from 'zod'
import type { Target } from '../../../model/catalog.ts'
import { sessionAddress, turnAddress } from '../../../model/render.ts'
import { parameters } from '../../parameters.ts'
import { openEntries } from '../entries.ts'
import { readTextCursor, writeTextCursor } from '../paging.ts'
import { type Page, readPage } from '../read-page.ts'
import { toSession } from '../render.ts'
import { untrustedNotice } from '../safe-text.ts'
import { cursor, next, session, sessionShape } from '../schemas.ts'
import { type Call, defineTool, reading } from '../tool.ts'

export const readSession = defineTool({
  name: 'read_session',
  title: 'Read a past session',
  description:
    'Reads a session, or with @<turn> one turn of it, or with @m:<message id> one whole message: prompts, answers and tool calls in order, secrets redacted. Long sessions come in pages: pass `next` as `cursor`.',
  input: parameters({
    session,
    cursor,
    max_tokens: z.number().int().min(100).max(5000).default(3000).describe('How much text one page holds, about'),
    tools: z.enum(['brief', 'full', 'none']).default('brief').describe('How much of tool calls and their output'),
  }),
  output: z.looseObject({
    session: sessionShape,
    turn: z.string().optional(),
    untrusted: z.looseObject({
      notice: z.string(),
      messages: z.array(z.looseObject({ id: z.string(), role: z.string(), text: z.string() })),
    }),
    next,
  }),
  annotations: reading,
  async run(args, call) {
    const target = await call.guarded.resolve(args.session)
    const from = readTextCursor(args.cursor)
    const { entries, first } = await openEntries(call.guarded, target, from.message)
    const page = await readPage(entries, call.redactor, {
      from,
      first,
      maxTokens: args.max_tokens,
      tools: target.messageId === null ? args.tools : 'full',
      signal: call.signal,
    })
    return { structured: await describe(call, target, page), text: tell(target, page) }
  },
})

async function describe(call: Call, target: Target, { messages, next: rest }: Page) {
  return {
    session: await toSession(target.session, call.redactor),
    ...(target.turn === null ? {} : { turn: turnAddress(target.session, target.turn) }),
    untrusted: { notice: untrustedNotice, messages },
    ...(rest === null ? {} : { next: writeTextCursor(rest) }),
  }
}

function tell({ session: of }: Target, { messages, next: rest }: Page): string {
  const more = rest === null ? 'That is all.' : `Go on with cursor ${writeTextCursor(rest)}.`
  return `${messages.length} messages of ${sessionAddress(of)}. ${more}`
}
