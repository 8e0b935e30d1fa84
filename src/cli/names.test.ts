import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { CatalogSession, LineageNode } from '../model/catalog.ts'
import { drawLineage } from './lineage.ts'
import { printSessions } from './session-table.ts'
import { shortIds } from './short-id.ts'
import { recordContext } from './test-output.testkit.ts'

const named = (agent: 'claude' | 'codex', id: string) => ({ agent, id })

test('eight characters do for random ids, thirteen for ids that begin with the time', () => {
  const sessions = [
    named('claude', '60309e1e-84b8-4be1-9d3f-0d43f7b4e6a7'),
    named('codex', '019a84f2-1d6b-7a31-9c55-3f8e21b7d904'),
  ]
  expect([...shortIds(sessions).values()]).toEqual(['claude:60309e1e', 'codex:019a84f2-1d6b'])
})

test('ids that share more get as many characters as they need', () => {
  const sessions = [named('claude', 'aaaaaaaaaa-1'), named('claude', 'aaaaaaaaaa-2'), named('claude', 'bbbbbbbbbbbb')]
  expect([...shortIds(sessions).values()]).toEqual(['claude:aaaaaaaaaa-1', 'claude:aaaaaaaaaa-2', 'claude:bbbbbbbb'])
})

const node = (id: string, children: LineageNode[] = []): LineageNode => ({
  session: {
    agent: 'claude',
    id,
    title: `title ${id}`,
    ownTurns: 1,
    updatedAt: 0,
    live: id.startsWith('live'),
    parent: null,
    state: 'present',
    broken: null,
  } as CatalogSession,
  children,
  forkKind: 'native',
  atTurn: 2,
})

test('branches are drawn with their trunk', () => {
  const { context } = recordContext({ home: tmpdir() })
  const lines = drawLineage(context, [node('root', [node('one', [node('leaf')]), node('live2')]), node('other')])
  expect(lines.map((line) => line.replace(/ {2}native at turn.*/, ''))).toEqual([
    'claude:root title root',
    '├─ claude:one title one',
    '│  └─ claude:leaf title leaf',
    '└─ ● claude:live2 title live2',
    'claude:other title other',
  ])
  expect(lines[1]).toContain('native at turn 2 · 1 own turn · now')
})

test('a fork of a dead turn names that turn', () => {
  const { context } = recordContext({ home: tmpdir() })
  const { session, ...fork } = node('child')
  const parent = { turnId: '3f2a9c1d-84b8-4be1-9d3f-0d43f7b4e6a7', turnNumber: null } as CatalogSession['parent']
  const dead: LineageNode = { ...fork, session: { ...session, parent }, atTurn: null }
  expect(drawLineage(context, [dead]).join()).toContain('native at turn 3f2a9c1d · 1 own turn')
})

test('the tree marks restorable, archived and incomplete sessions as the table does', () => {
  const { context } = recordContext({ home: tmpdir() })
  const { session, ...fork } = node('child')
  const draw = (facts: Partial<CatalogSession>) => drawLineage(context, [{ ...fork, session: { ...session, ...facts } }]).join()
  expect(draw({ state: 'gone' })).toContain('claude:child [restorable] title child')
  expect(draw({ state: 'archived' })).toContain('claude:child [archived] title child')
  expect(draw({ broken: 'a file is missing' })).toContain('claude:child [incomplete] title child')
})

test('a long chain of forks is drawn', () => {
  const { context } = recordContext({ home: tmpdir() })
  let chain = node('end')
  for (let depth = 0; depth < 2000; depth += 1) chain = node(`n${depth}`, [chain])
  expect(drawLineage(context, [chain])).toHaveLength(2001)
})

test('a deleted session that the archive can put back is called restorable, not gone', async () => {
  const { context, stdout } = recordContext({ home: tmpdir() })
  const { session } = node('one')
  const common = { ...session, broken: null, turns: 1, cwd: '/x', repoRoot: null }
  await printSessions(
    context,
    [
      { ...common, state: 'gone' },
      { ...common, id: 'two', state: 'archived' },
    ],
    false,
  )
  await context.out.flush()
  expect(stdout()).toContain('[restorable] title one')
  expect(stdout()).toContain('[archived] title one')
})
