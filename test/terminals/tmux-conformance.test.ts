// The suite of all terminals against a real tmux.
import { beforeAll } from 'vitest'
import { exec } from '../../src/lib/exec.ts'
import { runTerminalConformance } from '../../src/terminals/conformance.ts'
import { createTerminals } from '../../src/terminals/index.ts'
import { endServer, inherited, launcher, node, requireTmux, socketIn } from './lib.ts'

beforeAll(requireTmux)

const path = process.env.PATH ?? ''

runTerminalConformance({
  path,
  inherited,
  fuzzRuns: 15,
  create({ root, folder }) {
    const vars = { PATH: path, HOME: root, [inherited.name]: inherited.value }
    const tmux = { socket: socketIn(root), config: '/dev/null' }
    return createTerminals({ exec, vars, folder, node, launcher, tmux }).get('tmux')
  },
  dispose: ({ root }) => endServer(root),
})
