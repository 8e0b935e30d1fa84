// Server-sent events of our own server as a client reads them: the way back of frames.ts.

export interface FrameRead {
  readonly event: string
  readonly data: unknown
}

/** Comments are left out. Ends with the stream; leaving early lets the connection go. */
export async function* readFrames(stream: ReadableStream<Uint8Array>): AsyncGenerator<FrameRead> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const frame = parseFrame(block)
      if (frame !== null) yield frame
    }
  }
}

function parseFrame(block: string): FrameRead | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const at = line.indexOf(': ')
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2))
  }
  const [event, data] = [fields.get('event'), fields.get('data')]
  return event === undefined || data === undefined ? null : { event, data: JSON.parse(data) as unknown }
}
