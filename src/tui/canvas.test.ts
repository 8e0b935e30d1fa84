import { EventEmitter } from 'node:events'
import type { WriteStream } from 'node:tty'
import { expect, test } from 'vitest'
import { createCanvas } from './canvas.ts'

const size = { columns: 10, rows: 3 }

function createOutput() {
  const written: string[] = []
  const output = Object.assign(new EventEmitter(), {
    writableNeedDrain: false,
    write: (text: string) => written.push(text) > 0,
  })
  return { output, written, canvas: createCanvas(output as unknown as WriteStream) }
}

test('a frame is written whole once, then only lines that changed, each at its place', () => {
  const { canvas, written } = createOutput()
  canvas.draw(['one', 'two', 'three'], size)
  expect(written).toHaveLength(1)
  expect(written[0]).toContain('\u001b[2J')
  canvas.draw(['one', 'two', 'three'], size)
  expect(written).toHaveLength(1)
  canvas.draw(['one', 'TWO', 'three'], size)
  expect(written[1]).toBe('\u001b[?2026h\u001b[2;1HTWO\u001b[0m\u001b[K\u001b[?2026l')
})

test('nothing is erased behind a line that reaches the edge, as wide as the terminal counts it', () => {
  const { canvas, written } = createOutput()
  canvas.draw(['0123456789', '\u001b[1m日本語日本\u001b[22m', 'short'], size)
  expect(written[0]?.split('\u001b[K')).toHaveLength(2)
})

test('a new size, or a screen another program had, is drawn whole', () => {
  const { canvas, written } = createOutput()
  canvas.draw(['one', 'two', 'three'], size)
  canvas.draw(['one', 'two', 'three'], { columns: 9, rows: 3 })
  canvas.forget()
  canvas.draw(['one', 'two', 'three'], { columns: 9, rows: 3 })
  expect(written).toHaveLength(3)
  for (const each of written) expect(each).toContain('\u001b[2J\u001b[1;1Hone')
})

test('a terminal that is behind gets the newest frame only', () => {
  const { canvas, output, written } = createOutput()
  canvas.draw(['one', '', ''], size)
  output.writableNeedDrain = true
  canvas.draw(['two', '', ''], size)
  canvas.draw(['three', '', ''], size)
  expect(written).toHaveLength(1)
  output.writableNeedDrain = false
  output.emit('drain')
  expect(written).toHaveLength(2)
  expect(written[1]).toContain('three')
})
