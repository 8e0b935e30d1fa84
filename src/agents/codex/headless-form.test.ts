import { expect, it } from 'vitest'
import { contentFor, fieldsOf } from './headless-form.ts'

const schema = {
  properties: {
    colour: { type: 'string', oneOf: [{ const: '#f00', title: 'Red' }, { const: '#0f0' }] },
    size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
    tags: { type: 'array', items: { enum: ['a', 'b', 'c'] } },
    pets: {
      type: 'array',
      items: {
        anyOf: [
          { const: 1, title: 'Cat, big' },
          { const: 2, title: 'Cat' },
        ],
      },
    },
  },
}

it('shows the names of values, and how many of them may be chosen', () => {
  expect(fieldsOf(schema).map(({ options, isMultiple }) => [options.map(({ label }) => label), isMultiple])).toEqual([
    [['Red', '#0f0'], false],
    [['Small', 'Large'], false],
    [['a', 'b', 'c'], true],
    [['Cat, big', 'Cat'], true],
  ])
})

it('gives the values behind the names, several as a list, also where a name has a comma in it', () => {
  const answers = { colour: 'Red', size: 'Large', tags: 'a, c', pets: 'Cat, big, Cat' }
  expect(contentFor(schema, answers)).toEqual({ colour: '#f00', size: 'l', tags: ['a', 'c'], pets: ['1', '2'] })
})
