// The keys as docs/tui.md shows them, from the table itself.
import { type Action, actions } from '../../src/tui/keys.ts'
import { showKey } from '../../src/tui/screens/footer.ts'
import { titles } from '../../src/tui/screens/help.ts'
import type { KeyContext } from '../../src/tui/state.ts'

export function describeKeys(): string {
  const all: readonly Action[] = actions
  const sections = (Object.keys(titles) as (KeyContext | 'everywhere')[]).map((context) => {
    const rows = all.flatMap(({ id, label, keys }) => {
      const names = keys[context]?.map((name) => `\`${showKey(name)}\``).join(', ')
      return names === undefined || names === '' ? [] : [`| ${names.replaceAll('|', '\\|')} | ${label} | \`${id}\` |`]
    })
    return rows.length === 0 ? '' : `### ${titles[context]}\n\n| keys | | action |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return sections.filter(Boolean).join('\n')
}
