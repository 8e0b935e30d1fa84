// A stand-in of the Messages API that streams an answer at a steady rate, one event a token, as long as a prompt asks for it
// (`stream SECONDS`); anything else gets one word. `stream-api.mjs <tokens a second>` prints its address, then a line per answer:
// how many tokens in how many milliseconds. A process of its own, so that it takes no time from whoever measures.
import { createServer } from 'node:http'

const rate = Number(process.argv[2])
const tickMs = 4
let answers = 0

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.method !== 'POST') return response.writeHead(200).end()
  const body = JSON.parse(Buffer.concat(chunks).toString())
  if (request.url.includes('count_tokens')) return sendJson(response, { input_tokens: 100 })
  answers += 1
  const message = { id: `msg_${answers}`, type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null }
  const usage = { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  if (body.stream !== true)
    return sendJson(response, { ...message, content: [{ type: 'text', text: 'Ok.' }], stop_reason: 'end_turn', usage })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  send('message_start', { message: { ...message, usage } })
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  const say = (text) => send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
  const seconds = body.tools?.length > 0 ? Number(/stream (\d+)/.exec(lastText(body.messages))?.[1] ?? 0) : 0
  if (seconds > 0) await stream(say, seconds, response)
  else say('Ok.')
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 10 } })
  send('message_stop', {})
  response.end()
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))

/** What is due by now, every few milliseconds, until the time is over or nobody listens. */
async function stream(say, seconds, response) {
  const tokens = answer()
  const startedAt = performance.now()
  let sent = 0
  while (performance.now() - startedAt < seconds * 1000 && !response.destroyed) {
    for (const due = ((performance.now() - startedAt) * rate) / 1000; sent < due; sent += 1) say(tokens.next().value)
    await new Promise((resolve) => setTimeout(resolve, tickMs))
  }
  console.log(JSON.stringify({ tokens: sent, ms: performance.now() - startedAt }))
}

/** Markdown as models write it, without end: four characters a token, every line numbered. */
function* answer() {
  for (let number = 1; ; number += 1) {
    const inCode = number % 40 >= 25 && number % 40 < 39
    const fence = number % 40 === 25 ? '```ts\n' : number % 40 === 39 ? '```\n' : ''
    const line = inCode
      ? `  const value${number} = await readTurns(session, { from: ${number} }) // line ${number}\n`
      : number % 7 === 0
        ? `\n## Part ${number}\n\n`
        : `Line ${number} says that **every word** of it is \`laid out\` once, and what is *whole* stays as it is. Über 漢字 🎉\n`
    const text = fence + line
    for (const piece of text.match(/.{1,4}/gsu)) yield piece
  }
}

function lastText(messages) {
  const { content } = messages.findLast(({ role }) => role === 'user') ?? { content: '' }
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n')
}

function sendJson(response, body) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
