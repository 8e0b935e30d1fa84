import { expect, test } from 'vitest'
import type { Message } from '../../model/session.ts'
import { createRedactor } from '../../redact/redact.ts'
import { type CollectedTurn, collectMessage, prepareTurn } from './prepare.ts'

test.each(['requirepass', 'masterauth'])(
  'a secret that ends its field (%s) is redacted before the fields are joined',
  async (setting) => {
    const turn: CollectedTurn = { turn: { id: 't' } as CollectedTurn['turn'], cwd: null, pieces: [], toolText: 0 }
    const tool = { name: 'Bash', arguments: { command: `${setting} hedgehogs`, description: 'run' }, output: null, exitCode: 0 }
    collectMessage(turn, { role: 'tool', text: '', tool } as unknown as Message)
    const { chunks } = await prepareTurn(createRedactor(), turn)
    expect(chunks.map(({ tools }) => tools)).toEqual([`Bash ${setting} [redacted:password] run`])
  },
)
