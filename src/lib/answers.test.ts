import { describe, expect, it } from 'vitest'
import type { Question } from '../model/question.ts'
import type { PermissionRequest } from '../model/run.ts'
import { fitAnswer, fitDecision } from './answers.ts'

const colour: Question = {
  key: 'colour',
  text: 'Which colour?',
  options: [
    { label: 'Red', description: null },
    { label: 'Blue, dark', description: 'like the sea' },
    { label: '3', description: null },
  ],
  isMultiple: false,
  takesText: false,
  isRequired: true,
  isSecret: false,
}
const reason: Question = { ...colour, key: 'why', text: 'And why?', options: [], takesText: true }

const asked = (...questions: Question[]): PermissionRequest => ({
  id: 'q',
  tool: 'AskUserQuestion',
  kind: 'question',
  summary: 'Which?',
  arguments: {},
  callId: null,
  canRemember: false,
  questions,
})

describe('fitAnswer', () => {
  it('takes an option by its name in any case, or by its number', () => {
    expect(fitAnswer(colour, 'red', 'choose')).toBe('Red')
    expect(fitAnswer(colour, '2', 'choose')).toBe('Blue, dark')
    expect(fitAnswer(colour, ' 3 ', 'choose')).toBe('3')
    expect(fitAnswer(colour, 'RED', 'text')).toBe('Red')
    expect(fitAnswer({ ...colour, takesText: true }, '2', 'text')).toBe('2') // a program means what it says
    expect(fitAnswer({ ...colour, takesText: true }, '2', 'line')).toBe('Blue, dark')
    expect(fitAnswer({ ...colour, takesText: true }, 'Green; $(x)', 'line')).toBe('Green; $(x)')
  })

  it('names what could be meant, and the options there are', () => {
    expect(() => fitAnswer(colour, 'bleu, dark', 'choose')).toThrow(
      '"bleu, dark" is no option of "Which colour?". Did you mean "Blue, dark"?',
    )
    expect(() => fitAnswer(colour, '4', 'choose')).toThrow(
      expect.objectContaining({ code: 'usage', hint: 'Which colour? (1. Red, 2. Blue, dark, 3. 3)' }),
    )
    expect(() => fitAnswer({ ...colour, takesText: true }, 'Green', 'choose')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('--text') }),
    )
    expect(() => fitAnswer(reason, 'x', 'choose')).toThrow('no options')
    expect(() => fitAnswer(reason, ' ', 'text')).toThrow('is empty')
  })

  it('takes several options where several may be chosen', () => {
    const many = { ...colour, isMultiple: true }
    expect(fitAnswer(many, 'red, 3', 'choose')).toBe('Red, 3')
    expect(fitAnswer(many, '1,2,1', 'choose')).toBe('Red, Blue, dark')
    expect(fitAnswer(many, 'Blue, dark', 'choose')).toBe('Blue, dark')
    expect(() => fitAnswer(many, 'red, green', 'choose')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('commas') }),
    )
    expect(() => fitAnswer(colour, 'red, 3', 'choose')).toThrow('no option')
  })
})

describe('fitDecision', () => {
  it('files answers under the key of each question, whichever name they came by', () => {
    const answers = { 'Which colour?': 'red', why: 'because' }
    expect(fitDecision(asked(colour, reason), { verdict: 'allow', answers })).toEqual({
      verdict: 'allow',
      answers: { colour: 'Red', why: 'because' },
    })
  })

  it('refuses a yes without answers, answers to nothing, and answers to what needs a yes', () => {
    const decide = (answers: Record<string, string>, ...questions: Question[]) =>
      fitDecision(asked(...questions), { verdict: 'allow', answers })
    expect(() => decide({ why: 'x' }, colour, reason)).toThrow('One question has no answer: Which colour?')
    expect(() => decide({}, colour, reason)).toThrow('2 questions have no answer')
    expect(decide({}, { ...reason, isRequired: false })).toEqual({ verdict: 'allow', answers: {} })
    expect(() => decide({ colours: 'Red' }, colour)).toThrow('Did you mean "colour"?')
    expect(() => decide({ toString: 'x' }, colour)).toThrow('No question is called')
    expect(() => decide({ a: 'b' })).toThrow('A yes or a no is asked for')
  })

  it('a no needs no answers and sends none along', () => {
    expect(fitDecision(asked(colour), { verdict: 'deny', reason: 'r', answers: { a: 'b' } })).toEqual({
      verdict: 'deny',
      reason: 'r',
    })
    expect(fitDecision(asked(), { verdict: 'allow_session' })).toEqual({ verdict: 'allow_session' })
  })
})
