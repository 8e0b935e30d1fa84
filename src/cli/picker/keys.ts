// Keys of a terminal as what they mean in the picker. A lone Esc is told from an arrow key by a short wait.
import { emitKeypressEvents, type Interface, type Key } from 'node:readline'
import type { Terminal } from '../terminal.ts'
import type { PickerAction } from './state.ts'

export type PickerKey = PickerAction | { readonly kind: 'choose' } | { readonly kind: 'leave' }

const escapeWaitMs = 50
const scrollLines = 5

export function readKeys({ input }: Terminal, pageRows: () => number, onKey: (key: PickerKey) => void): () => void {
  // Only this one field of the interface is read; Node's own wait for the rest of a sequence is half a second.
  emitKeypressEvents(input, { escapeCodeTimeout: escapeWaitMs } as unknown as Interface)
  const listener = (text: string | undefined, key: Key) => {
    const meaning = meaningOf(text, key, pageRows())
    if (meaning !== null) onKey(meaning)
  }
  input.setRawMode(true)
  input.on('keypress', listener)
  input.resume()
  return () => {
    input.removeListener('keypress', listener)
    input.setRawMode(false)
    input.pause()
  }
}

export function meaningOf(text: string | undefined, key: Key, pageRows: number): PickerKey | null {
  const name = key.ctrl === true ? `ctrl-${key.name}` : key.name
  if (key.shift === true && (name === 'up' || name === 'down'))
    return { kind: 'scroll', by: name === 'up' ? -scrollLines : scrollLines }
  switch (name) {
    case 'up':
    case 'ctrl-p':
      return { kind: 'move', by: -1 }
    case 'down':
    case 'ctrl-n':
      return { kind: 'move', by: 1 }
    case 'pageup':
      return { kind: 'move', by: -pageRows }
    case 'pagedown':
      return { kind: 'move', by: pageRows }
    case 'home':
      return { kind: 'first' }
    case 'end':
      return { kind: 'last' }
    case 'return':
    case 'enter':
      return { kind: 'choose' }
    case 'escape': // also the one chunk `ESC ESC` that tmux makes of two
    case 'ctrl-c':
    case 'ctrl-d':
      return { kind: 'leave' }
    case 'backspace':
      return { kind: 'erase', what: key.meta === true ? 'word' : 'character' }
    case 'ctrl-w':
      return { kind: 'erase', what: 'word' }
    case 'ctrl-u':
      return { kind: 'erase', what: 'all' }
    default:
      return key.ctrl === true || key.meta === true ? null : typed(text)
  }
}

function typed(text: string | undefined): PickerKey | null {
  return text === undefined || !/^\P{C}+$/u.test(text) ? null : { kind: 'type', text }
}
