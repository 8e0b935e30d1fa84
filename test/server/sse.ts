// Reads server-sent events as a client does.

export interface FrameRead {
  readonly id?: string
  readonly event?: string
  readonly data?: unknown
  readonly comment?: string
}

export async function* framesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<FrameRead> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        yield parseFrame(text.slice(0, end))
        text = text.slice(end + 2)
      }
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel()
  }
}

/** Everything but comments, until the stream ends. */
export async function readFrames(answer: Response): Promise<FrameRead[]> {
  const frames: FrameRead[] = []
  if (answer.body === null) throw new Error('no body')
  for await (const frame of framesOf(answer.body)) if (frame.event !== undefined) frames.push(frame)
  return frames
}

/** The next `count` events. */
export async function takeEvents(frames: AsyncGenerator<FrameRead>, count: number): Promise<FrameRead[]> {
  const taken: FrameRead[] = []
  while (taken.length < count) {
    const { done, value } = await frames.next()
    if (done === true) throw new Error(`the stream ended after ${taken.length} of ${count} events`)
    if (value.event !== undefined) taken.push(value)
  }
  return taken
}

function parseFrame(block: string): FrameRead {
  const frame: { id?: string; event?: string; data?: unknown; comment?: string } = {}
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
    if (name === '') frame.comment = value
    else if (name === 'data') frame.data = JSON.parse(value)
    else if (name === 'id' || name === 'event') frame[name] = value
  }
  return frame
}
