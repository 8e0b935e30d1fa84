// Random files under odd names: what the steps of a random state write.
import { chmodSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Random } from './random.ts'
import { at, removeAny, there } from './scratch.ts'

export interface RandomState {
  readonly root: string
  readonly random: Random
  readonly tags: Set<string>
}

// Odd on purpose: spaces, a line break, UTF-8, a byte that is none, pattern characters, leading hyphen and colon.
const plainNames = ['a', 'b.txt', 'c.bin', 'd/e', 'd/f.txt', 'd/g/h', 'p/q', 'r', 's/t/u/v', 'y.log', 'z.keep']
export const names = [...plainNames, 'i j', 'k\nl', 'm\xc3\xbc', 'n\xff', 'o*', '-w', ':x']

export const attributeLines = [
  '*.txt text eol=lf\n',
  '*.txt text eol=crlf\n',
  '* text=auto\n',
  '*.txt ident\n',
  '*.txt working-tree-encoding=UTF-16LE\n',
  '*.txt filter=turn\n',
  '* filter=turn\n',
  '* text=auto eol=crlf\n',
]

export function write({ root, random }: RandomState, name: string, mayBeLink = true): void {
  const place = makeRoom(root, name)
  if (mayBeLink && random.chance(0.12)) {
    symlinkSync(random.pick(['a', 'nowhere', '/etc/hostname', '../x', 'd']), place)
    return
  }
  // Text in an encoding must be whole: git refuses to add what it cannot convert.
  writeFileSync(place, name.endsWith('.txt') ? content(random).filter((byte) => byte > 8 && byte < 128) : content(random))
  if (random.chance(0.15)) chmodSync(place, 0o755)
}

function content(random: Random): Buffer {
  const kind = random.next()
  if (kind < 0.1) return Buffer.alloc(0)
  if (kind < 0.2) return Buffer.from(Array.from({ length: 1 + random.below(200) }, () => random.below(256)))
  if (kind < 0.3) return Buffer.from(String(random.below(1e8)).padStart(8, '0'))
  const end = random.pick(['\n', '\n', '\r\n'])
  const line = () => `line ${random.below(30)} $Id$${random.chance(0.1) ? '\n' : end}`
  return Buffer.from(Array.from({ length: 1 + random.below(15) }, line).join(''))
}

/** Folders on the way are made, whatever is in the way goes. */
export function makeRoom(root: string, name: string): Buffer {
  const steps = name.split('/')
  for (let count = 1; count < steps.length; count++) {
    const place = at(root, steps.slice(0, count).join('/'))
    if (there(place) && !lstatSync(place).isDirectory()) removeAny(place)
  }
  if (steps.length > 1) mkdirSync(at(root, steps.slice(0, -1).join('/')), { recursive: true })
  const place = at(root, name)
  removeAny(place)
  return place
}

/** A step may be impossible in this state (a folder where a file was expected): then it does nothing. */
export function tolerate(step: () => void): void {
  try {
    step()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
  }
}
