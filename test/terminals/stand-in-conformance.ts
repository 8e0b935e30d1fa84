// The suite of all terminals over a stand-in for the terminal's own program.
import { join } from 'node:path'
import { expect } from 'vitest'
import { exec } from '../../src/lib/exec.ts'
import { runTerminalConformance } from '../../src/terminals/conformance.ts'
import { createTerminals } from '../../src/terminals/index.ts'
import { endServer, inherited, launcher, node } from './lib.ts'
import { createStandIn, type StandIn } from './stand-ins.ts'

export function runStandInConformance(terminal: 'wezterm' | 'iterm2', program: 'wezterm' | 'osascript'): void {
  const path = `BIN:${process.env.PATH ?? ''}` // what panes see; the program itself is found by its full path
  let standIn: StandIn
  runTerminalConformance({
    path,
    inherited,
    fuzzRuns: 3,
    create({ root, folder }) {
      standIn = createStandIn(root, program)
      const vars = { PATH: path, HOME: root, [inherited.name]: inherited.value }
      const found: typeof exec = (command, args, options) => exec(join(standIn.bin, command), args, options)
      return createTerminals({ exec: found, vars, folder, node, launcher }).get(terminal)
    },
    dispose({ root }) {
      endServer(root)
      expect(standIn.violations()).toBe('')
    },
  })
}
