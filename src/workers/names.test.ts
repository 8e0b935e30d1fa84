import { expect, test } from 'vitest'
import { checkName, makeName } from './names.ts'

test('names are friendly, safe and never one that is taken', () => {
  const taken = new Set<string>()
  for (let count = 0; count < 3000; count += 1) {
    const name = makeName((each) => taken.has(each))
    expect(checkName(name)).toBe(name)
    expect(taken.has(name)).toBe(false)
    taken.add(name)
  }
})

test.each(['', '-x', 'a b', 'a:b', 'a.b', '#(touch x)', 'x;', '\u001b[31m', 'a'.repeat(41), '$1', '@1', '%1', '=x', 'ä', 'a\nb'])(
  '%j is no name',
  (name) => {
    expect(() => checkName(name)).toThrow(/cannot be the name/)
  },
)
