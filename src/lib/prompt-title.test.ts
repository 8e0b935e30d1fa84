import { describe, expect, it } from 'vitest'
import { gistOf, isBareCommand, titleOfPrompt, titleWith } from './prompt-title.ts'

const long = 'a prompt of so many words that its title has to end somewhere before its last word does'

describe('the title of a prompt', () => {
  it.each([
    ['  fix\n\n the   tests ', 'fix the tests'],
    ['Implement the following plan:\n\n# Plan: Rename the flag\n\n## Context\n\nIt is long.', 'Plan: Rename the flag'],
    ['Implement the following plan:\n\n1. rename the flag\n2. test it', '1. rename the flag 2. test it'],
    [
      "A previous agent produced the plan below to accomplish the user's task. Implement it.\n\n## Rename the flag\n- do it",
      'Rename the flag',
    ],
    ['Implement the following plan:', 'Implement the following plan:'],
    ['[Image #1] what is wrong here? [image]', 'what is wrong here?'],
    ['[image]', '[image]'],
    [long, 'a prompt of so many words that its title has to end somewhere before its last…'],
    [`see https://example.org/${'x'.repeat(100)}`, `see https://example.org/${'x'.repeat(55)}…`],
    ['', ''],
  ])('%j is %j', (prompt, title) => {
    expect(titleOfPrompt(prompt)).toBe(title)
    expect(title.length).toBeLessThanOrEqual(80)
  })

  it('never ends within a character', () => {
    expect(titleOfPrompt(`${'x'.repeat(78)}😀😀`)).toBe(`${'x'.repeat(78)}…`)
  })
})

describe('the title of a command without arguments', () => {
  it.each([
    ['/review', true],
    ['/plugin:plan-it ', true],
    ['/review 158', false],
    ['/usr/bin is not on the path', false],
  ])('%j: %s', (prompt, isBare) => {
    expect(isBareCommand(prompt)).toBe(isBare)
  })

  it('goes on with the answer, in complete words', () => {
    expect(titleWith('**All** `tests` pass for #12.', '/review ')).toBe('/review: All tests pass for #12.')
    expect(titleWith(long, '/review')).toBe('/review: a prompt of so many words that its title has to end somewhere before…')
    expect(titleWith('x'.repeat(100), '/review')).toBe('/review')
  })

  it('takes a heading that says something, else the beginning', () => {
    expect(gistOf('I have read it.\n\n## Review of PR #12\n\nFine.')).toBe('Review of PR #12')
    expect(gistOf('All done.\n\n## Summary\n\nFine.')).toBe('All done.\n\n## Summary\n\nFine.')
  })
})
