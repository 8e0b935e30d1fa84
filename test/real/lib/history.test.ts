import { describe, expect, it } from 'vitest'
import { compareHistory, type Rule, type SeenItem } from './history.ts'
import { describeSelection, everySecond, selectCells } from './matrix.ts'

const call = (callId: string): SeenItem => ({ role: 'tool_call', text: '{}', name: 'Bash', callId })
const result = (callId: string, text = callId): SeenItem => ({ role: 'tool_result', text, callId })
const user = (text: string): SeenItem => ({ role: 'user', text })

describe('compareHistory', () => {
  it('takes calls with their results and a batch of calls before its results for the same history', () => {
    const ours = [user('go'), call('a'), result('a'), call('b'), result('b')]
    const received = [user('go'), call('a'), call('b'), result('b'), result('a')]
    expect(compareHistory(ours, received)).toMatchObject({ equal: true, diff: '' })
  })

  it('shows exactly what is missing, extra or changed', () => {
    const { equal, diff } = compareHistory([user('one'), user('two')], [user('one'), call('a'), user('twp')])
    expect(equal).toBe(false)
    expect(diff.split('\n').slice(1)).toEqual(['  user: "one"', '- user: "two"', '+ tool_call Bash (a): "{}"', '+ user: "twp"'])
  })

  it('sees a different order of calls and a result given to the wrong call', () => {
    expect(compareHistory([call('a'), call('b')], [call('b'), call('a')]).equal).toBe(false)
    expect(compareHistory([call('a'), result('a', 'x')], [call('a'), result('a', 'y')]).equal).toBe(false)
    expect(compareHistory([call('a'), result('a')], [call('a')]).equal).toBe(false)
    expect(compareHistory([call('a')], [call('a'), result('lost')]).equal).toBe(false)
  })

  it('applies a rule on its own side only and counts it', () => {
    const noClosers: Rule = {
      name: 'closers',
      reason: 'test',
      side: 'received',
      apply: (item) => (item.text === 'closer' ? undefined : item),
    }
    const { equal, used } = compareHistory([user('one')], [user('one'), user('closer')], [noClosers])
    expect(equal).toBe(true)
    expect(used.get('closers')).toBe(1)
    expect(compareHistory([user('one'), user('closer')], [user('one')], [noClosers]).equal).toBe(false)
  })
})

describe('selectCells', () => {
  const versions = ['old', 'new'] as const
  const scenarios = [
    { name: 'turns', always: ['old', 'new'] },
    { name: 'rewind', always: ['new'] },
    { name: 'elsewhere', versions: ['new'], always: ['new'] },
  ] as const

  it('runs the covering subset and names the rest', () => {
    const selection = selectCells(scenarios, versions, false)
    expect(selection.run.map(({ scenario, version }) => `${scenario.name} ${version}`)).toEqual([
      'turns new',
      'rewind new',
      'elsewhere new',
    ])
    expect(describeSelection('claude', selection)).toBe(
      'claude: 3 scenario runs with the real CLI; left out here, run by npm run test:matrix: turns on old, rewind on old',
    )
  })

  it('halves what is run so that two suites together run all of it', () => {
    const selection = selectCells(scenarios, versions, false)
    const halves = ([0, 1] as const).map((first) => everySecond(selection, first, false))
    expect(halves.flatMap(({ run }) => run)).toHaveLength(3)
    expect(new Set(halves.flatMap(({ run }) => run))).toEqual(new Set(selection.run))
    expect(halves.map(({ run, leftOut }) => run.length + leftOut.length)).toEqual([5, 5])
    expect(everySecond(selection, 0, true)).toEqual(selection)
  })

  it('runs everything that a version can do in the whole matrix', () => {
    const selection = selectCells(scenarios, versions, true)
    expect(selection.run).toHaveLength(5)
    expect(describeSelection('claude', selection)).toMatch(/nothing left out$/)
  })

  it('refuses a scenario that npm test would never run', () => {
    expect(() => selectCells([{ name: 'never', always: [] }], versions, false)).toThrow(/never/)
  })
})
