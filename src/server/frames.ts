// Server-sent events as bytes. JSON on one line holds no line break of its own, so nothing in a text can end a frame.
import { safeJson } from '../lib/safe-json.ts'

export interface Frame {
  readonly id?: number
  readonly event?: string
  readonly data?: unknown
  readonly retry?: number
}

const encoder = new TextEncoder()

export function encodeFrame({ id, event, data, retry }: Frame): Uint8Array {
  const lines: string[] = []
  if (retry !== undefined) lines.push(`retry: ${retry}`)
  if (id !== undefined) lines.push(`id: ${id}`)
  if (event !== undefined) lines.push(`event: ${event}`)
  if (data !== undefined) lines.push(`data: ${safeJson(data)}`)
  return encoder.encode(`${lines.join('\n')}\n\n`)
}

/** Keeps the connection alive and says nothing to the program. */
export function comment(text: string): Uint8Array {
  return encoder.encode(`: ${text}\n\n`)
}

export function joinFrames(
  frames: readonly Uint8Array[],
  size = frames.reduce((sum, { length }) => sum + length, 0),
): Uint8Array {
  const [only] = frames
  if (frames.length === 1 && only !== undefined) return only
  const joined = new Uint8Array(size)
  let at = 0
  for (const frame of frames) {
    joined.set(frame, at)
    at += frame.length
  }
  return joined
}

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy in between must not gather events.
  'x-accel-buffering': 'no',
} as const
