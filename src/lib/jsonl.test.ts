import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Line, longestLine, parseLine, type ScanEnd, scanLines } from './jsonl.ts'

let folder: string
let path: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-jsonl-'))
  path = join(folder, 'session.jsonl')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Copy {
  offset: number
  torn: boolean
  /** latin1, so that every byte is one character and invalid UTF-8 stays visible. */
  bytes: string
}

function copy(line: Line): Copy {
  return { offset: line.offset, torn: line.torn, bytes: line.buffer.toString('latin1', line.start, line.end) }
}

function scan(from?: number, to?: number, chunkBytes?: number): { lines: Copy[]; end: ScanEnd } {
  const lines: Copy[] = []
  const scanner = scanLines(path, from, to, chunkBytes)
  for (;;) {
    const next = scanner.next()
    if (next.done) return { lines, end: next.value }
    lines.push(copy(next.value))
  }
}

function scanContent(content: Buffer | string, chunkBytes?: number): ReturnType<typeof scan> {
  writeFileSync(path, content)
  return scan(undefined, undefined, chunkBytes)
}

/** The definition, written the slow and obvious way. */
function expectedLines(content: Buffer): Copy[] {
  const lines: Copy[] = []
  const pieces = content.toString('latin1').split('\n')
  let offset = 0
  for (const [index, piece] of pieces.entries()) {
    const bytes = (offset === 0 ? piece.replace(/^\xef\xbb\xbf/, '') : piece).replace(/\r$/, '')
    if (/[^ \t]/.test(bytes)) lines.push({ offset, torn: index === pieces.length - 1, bytes })
    offset += piece.length + 1
  }
  return lines
}

/** Bytes that matter to a scanner: line ends, a BOM, blanks, invalid UTF-8, and U+2028, which JavaScript calls a line end. */
const pieces = ['\n', '\n', '\r\n', '\r', ' ', '\t', '\ufeff', 'a', '{}', '{"a":"\u2028\u2029\u0085"}', '\u00e9'].map((text) =>
  Buffer.from(text),
)
const anyPiece = fc.oneof(
  fc.constantFrom(...pieces, Buffer.from([0xff]), Buffer.from([0xef, 0xbb])),
  fc.uint8Array({ maxLength: 4 }),
)
const anyContent = fc.array(anyPiece, { maxLength: 40 }).map((parts) => Buffer.concat(parts))

describe('scanLines', () => {
  it('finds the same lines and offsets whatever the bytes and wherever a chunk ends', () => {
    fc.assert(
      fc.property(anyContent, fc.integer({ min: 1, max: 24 }), (content, chunkBytes) => {
        const { lines, end } = scanContent(content, chunkBytes)
        expect(lines).toEqual(expectedLines(content))
        expect(end.offset).toBe(content.lastIndexOf(0x0a) + 1)
      }),
      { numRuns: 500 },
    )
  })

  it('is the same at every chunk size up to the whole file', () => {
    const content = Buffer.from(
      '\ufeff{"a":1}\r\n\n  \n{"b":"\u2028é"}\n{"long":"xxxxxxxxxxxxxxxxxxxxxxxxxx"}\r\n\t\r\n{"c":3}\n{"torn',
    )
    for (let chunkBytes = 1; chunkBytes <= content.length + 1; chunkBytes += 1) {
      expect(scanContent(content, chunkBytes).lines).toEqual(expectedLines(content))
    }
  })

  it('reads on from where it stopped, without losing or repeating a line', () => {
    fc.assert(
      fc.property(anyContent, fc.nat(), fc.integer({ min: 1, max: 24 }), (content, at, chunkBytes) => {
        const cut = at % (content.length + 1)
        const first = scanContent(content.subarray(0, cut), chunkBytes)
        appendFileSync(path, content.subarray(cut))
        const second = scan(first.end.offset, undefined, chunkBytes)
        const complete = first.lines.filter((line) => !line.torn)
        expect([...complete, ...second.lines]).toEqual(expectedLines(content))
      }),
      { numRuns: 500 },
    )
  })

  it('cut at every byte: keeps every complete line before the cut and marks only the last as torn', () => {
    const content = Buffer.from('{"a":1}\n{"b":"é\u2028"}\r\n\n{"c":[1,2]}\n')
    const whole = expectedLines(content)
    for (let cut = 0; cut <= content.length; cut += 1) {
      const { lines } = scanContent(content.subarray(0, cut))
      const complete = lines.filter((line) => !line.torn)
      expect(complete).toEqual(whole.filter((line) => content.indexOf(0x0a, line.offset) < cut))
      expect(lines.length - complete.length).toBeLessThanOrEqual(1)
    }
  })

  it('stops at a given end', () => {
    writeFileSync(path, '{"a":1}\n{"b":2}\n{"c":3}\n')
    expect(scan(0, 16).lines.map((line) => line.bytes)).toEqual(['{"a":1}', '{"b":2}'])
    expect(scan(8, 16)).toMatchObject({ lines: [{ offset: 8, bytes: '{"b":2}', torn: false }], end: { offset: 16 } })
  })

  it('has nothing to say about an empty file, and about one that is shorter than where reading should go on', () => {
    expect(scanContent('')).toMatchObject({ lines: [], end: { offset: 0 } })
    writeFileSync(path, '{"a":1}\n')
    expect(scan(1000)).toMatchObject({ lines: [], end: { offset: 1000 } })
  })

  it('takes a BOM for one at the start of the file only', () => {
    const bom = '\xef\xbb\xbf'
    const { lines } = scanContent(Buffer.from(`${bom}{"a":1}\n${bom}{"b":2}\n`, 'latin1'))
    expect(lines.map((line) => line.bytes)).toEqual(['{"a":1}', `${bom}{"b":2}`])
  })

  it('names the inode it read', () => {
    expect(scanContent('{}\n').end.inode).toBe(statSync(path).ino)
  })
})

describe('a file that changes while it is read', () => {
  const small = 16
  const before = '{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n{"n":5}\n{"n":6}\n'

  function scanAndThen(change: () => void): { texts: string[]; torn: number; end: ScanEnd } {
    writeFileSync(path, before)
    const scanner = scanLines(path, 0, undefined, small)
    const texts: string[] = []
    let torn = 0
    for (;;) {
      const next = scanner.next()
      if (next.done) return { texts, torn, end: next.value }
      texts.push(copy(next.value).bytes)
      if (next.value.torn) torn += 1
      if (texts.length === 1) change()
    }
  }

  it('that grows: is read to the size it had, and on from there the next time', () => {
    const { texts, end } = scanAndThen(() => appendFileSync(path, '{"n":7}\n'))
    expect(texts).toHaveLength(6)
    expect(scan(end.offset).lines.map((line) => line.bytes)).toEqual(['{"n":7}'])
  })

  it('that is cut short: ends, and the half line is torn', () => {
    const { texts, torn, end } = scanAndThen(() => truncateSync(path, 20))
    expect(texts).toEqual(['{"n":1}', '{"n":2}', '{"n"'])
    expect({ torn, offset: end.offset }).toEqual({ torn: 1, offset: 16 })
  })

  it('that is replaced: is the old one to its end', () => {
    const { texts, end } = scanAndThen(() => {
      const other = join(folder, 'other.jsonl')
      writeFileSync(other, '{"other":1}\n'.repeat(20))
      renameSync(other, path)
    })
    expect(texts).toEqual(before.trimEnd().split('\n'))
    expect(end.inode).not.toBe(statSync(path).ino)
  })

  it('closes the file when the reader leaves early', () => {
    writeFileSync(path, before)
    const scanner = scanLines(path)
    scanner.next()
    expect(scanner.return({ offset: 0, inode: 0 })).toMatchObject({ done: true })
    expect(scanner.next()).toMatchObject({ done: true })
  })
})

describe('memory', () => {
  it('holds one chunk for a long file of short lines', () => {
    writeFileSync(path, `{"text":"${'x'.repeat(1000)}"}\n`.repeat(20_000))
    let largest = 0
    let count = 0
    for (const line of scanLines(path)) {
      largest = Math.max(largest, line.buffer.length)
      count += 1
    }
    expect(count).toBe(20_000)
    expect(largest).toBe(256 * 1024)
  })

  it('holds a line of 60 MB, gives it up afterwards, and goes on', () => {
    const bytes = 60 * 1024 * 1024
    const block = Buffer.alloc(1024 * 1024, 'x')
    const after = `{"text":"${'y'.repeat(1000)}"}\n`.repeat(30_000)
    const fd = openSync(path, 'w')
    writeSync(fd, '{"n":1}\n{"text":"')
    for (let written = 0; written < bytes; written += block.length) writeSync(fd, block)
    writeSync(fd, '"}\n')
    writeSync(fd, after)
    closeSync(fd)

    const lengths: number[] = []
    let largest = 0
    let last = 0
    for (const line of scanLines(path)) {
      lengths.push(line.end - line.start)
      largest = Math.max(largest, line.buffer.length)
      last = line.buffer.length
      if (lengths.length === 2) {
        const text = parseLine(line)?.text
        expect(typeof text === 'string' && text.length).toBe(bytes)
      }
    }
    expect(lengths).toHaveLength(30_002)
    expect(lengths.slice(0, 3)).toEqual([7, bytes + 11, 1011])
    expect(largest).toBeLessThanOrEqual(2 * longestLine)
    expect(last).toBeLessThanOrEqual(16 * 1024 * 1024)
    truncateSync(path, 0)
  })
})

describe('parseLine', () => {
  function parseAll(content: Buffer | string): (Record<string, unknown> | undefined)[] {
    writeFileSync(path, content)
    return Array.from(scanLines(path, 0, undefined, 8), parseLine)
  }

  it('gives back every object that was written, with either line end', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())), fc.boolean(), (objects, windows) => {
        const written = objects.map((object) => JSON.stringify(object))
        const content = written.map((text) => text + (windows ? '\r\n' : '\n')).join('')
        expect(parseAll(content)).toEqual(written.map((text) => JSON.parse(text)))
      }),
    )
  })

  it('keeps U+2028 and U+2029 inside strings', () => {
    expect(parseAll('{"text":"a\u2028b\u2029c"}\n')).toEqual([{ text: 'a\u2028b\u2029c' }])
  })

  it('replaces invalid UTF-8 and reads the rest', () => {
    const content = Buffer.concat([Buffer.from('{"text":"a'), Buffer.from([0xff, 0xc3]), Buffer.from('b"}\n')])
    expect(parseAll(content)).toEqual([{ text: 'a\ufffd\ufffdb' }])
  })

  it('answers undefined for what is not an object, and never throws', () => {
    expect(parseAll('null\n1\n"x"\n[1]\n{"a":\n{"a":1}}\n\0\0\n{"b":2')).toEqual(Array.from({ length: 8 }))
    fc.assert(
      fc.property(anyContent, (content) => parseAll(content).every((value) => value === undefined || typeof value === 'object')),
    )
  })
})

describe('a line that is too long', () => {
  /** Blanks where nothing is written: the file takes no space. */
  function sparse(...parts: readonly (string | number)[]): void {
    writeFileSync(path, '')
    const fd = openSync(path, 'r+')
    let at = 0
    for (const part of parts) {
      if (typeof part === 'string') writeSync(fd, part, at)
      at += typeof part === 'string' ? part.length : part
    }
    closeSync(fd)
    truncateSync(path, at)
  }
  function scanned() {
    const lines = []
    for (const { offset, torn, tooLong, start, end } of scanLines(path)) lines.push({ offset, torn, tooLong, bytes: end - start })
    return lines
  }

  it('is handed out up to the limit, and passed over beyond it', () => {
    const longest = longestLine - 2
    sparse('{"a":1}\n{', longest, '}\n{', longest + 1, '}\n{"b":2}\n')
    expect(scanned().map(({ tooLong, bytes }) => [tooLong, bytes])).toEqual([
      [false, 7],
      [false, longestLine],
      [true, 0],
      [false, 7],
    ])
  })

  it('may be longer than 2 GiB, and what follows is read where it stands', () => {
    const huge = 2 ** 31 + 1000
    sparse('{"a":1}\n{', huge, '\n{"b":2}\n{"c"')
    expect(scanned()).toEqual([
      { offset: 0, torn: false, tooLong: false, bytes: 7 },
      { offset: 8, torn: false, tooLong: true, bytes: 0 },
      { offset: 8 + 1 + huge + 1, torn: false, tooLong: false, bytes: 7 },
      { offset: 8 + 1 + huge + 1 + 8, torn: true, tooLong: false, bytes: 4 },
    ])
  }, 60_000)

  it('that is still being written is read again from its start', () => {
    sparse('{"a":1}\n{', longestLine + 5)
    const lines = scanLines(path)
    let next = lines.next()
    const seen: boolean[] = []
    while (!next.done) {
      seen.push(next.value.tooLong && next.value.torn)
      next = lines.next()
    }
    expect(seen).toEqual([false, true])
    expect(next.value.offset).toBe(8)
  })
})
