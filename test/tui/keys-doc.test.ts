// docs/tui.md lists every key of the table, and none besides.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeKeys } from './keys-doc.ts'

test('docs/tui.md shows the keys of the table', () => {
  const text = readFileSync(new URL('../../docs/tui.md', import.meta.url), 'utf8')
  const [, shown = ''] = text.split('<!-- keys -->\n')
  expect(shown).toBe(`\n${describeKeys()}`)
})
