// The alternate screen for as long as something is chosen on it: whatever was there before is there again after it, on every way out.
import type { Context } from '../context.ts'
import type { Terminal } from '../terminal.ts'
import { type PickerKey, readKeys } from './keys.ts'

const enter = '\u001b[?1049h\u001b[?25l'
const leave = '\u001b[?25h\u001b[?1049l'

export interface FullScreen {
  isOpen(): boolean
  show(lines: readonly string[]): void
  close(): void
}

export interface FullScreenUse {
  readonly draw: () => void
  readonly pageRows: () => number
  readonly onKey: (key: PickerKey) => void
}

export const sizeOf = ({ output }: Terminal) => ({ columns: output.columns || 80, rows: output.rows || 24 })

export function openFullScreen(context: Context, terminal: Terminal, { draw, pageRows, onKey }: FullScreenUse): FullScreen {
  const { output } = terminal
  let open = true
  const close = () => {
    if (!open) return
    open = false
    stopKeys()
    output.removeListener('resize', draw)
    output.write(leave)
  }
  context.onExit(close)
  output.write(enter)
  output.on('resize', draw)
  const stopKeys = readKeys(terminal, pageRows, onKey)
  return {
    isOpen: () => open,
    // Home, then line by line with the rest of each erased: nothing flickers and nothing old stays.
    show: (lines) => void output.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`),
    close,
  }
}
