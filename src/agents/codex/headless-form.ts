// A form that an MCP server asks to be filled in (its JSON schema), as questions, and the answers as it wants them. Pure.
import { isObject } from '../../lib/jsonl.ts'
import type { Question } from '../../model/question.ts'
import { type Body, textOrNull } from './lines.ts'

interface Choice {
  readonly value: string
  readonly label: string
}

/** What is one or several of a few values, yes or no, is chosen; the rest is written. */
export function fieldsOf(schema: unknown): Question[] {
  const needed = isObject(schema) && Array.isArray(schema.required) ? schema.required : []
  return propertiesOf(schema).map(([key, field]) => {
    const labels = field.type === 'boolean' ? ['yes', 'no'] : choicesOf(field).map(({ label }) => label)
    return {
      key,
      text: textOrNull(field.title) ?? textOrNull(field.description) ?? key,
      options: labels.map((label) => ({ label, description: null })),
      isMultiple: field.type === 'array',
      takesText: labels.length === 0,
      isRequired: needed.includes(key),
      isSecret: false,
    }
  })
}

/** Answers are texts; the form says which of them are numbers, lists, yes and no. */
export function contentFor(schema: unknown, answers: Readonly<Record<string, string>>): Body {
  const fields = propertiesOf(schema).flatMap(([name, field]) => {
    const answer = answers[name] ?? answers[String(field.title)]
    return answer === undefined ? [] : [[name, typed(field, answer)]]
  })
  return Object.fromEntries(fields)
}

function propertiesOf(schema: unknown): [string, Body][] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  return Object.entries(properties).map(([key, field]) => [key, isObject(field) ? field : {}])
}

/** `enum`, with names beside it in older servers; titled values as `oneOf`, or `anyOf` where several may be chosen. */
function choicesOf({ type, items, ...field }: Body): Choice[] {
  const { enum: values, enumNames: names, oneOf, anyOf } = type === 'array' && isObject(items) ? items : field
  if (Array.isArray(values)) {
    return values.map((value, at) => ({
      value: String(value),
      label: String(Array.isArray(names) ? (names[at] ?? value) : value),
    }))
  }
  const titled = [oneOf, anyOf].find(Array.isArray) ?? []
  return titled
    .filter(isObject)
    .map((each) => ({ value: String(each.const), label: textOrNull(each.title) ?? String(each.const) }))
}

function typed(field: Body, answer: string): unknown {
  const { type } = field
  if (type === 'boolean') return /^(true|yes|y|1)$/i.test(answer.trim())
  const choices = choicesOf(field)
  const valueBehind = (label: string) => choices.find((choice) => choice.label === label)?.value ?? label
  if (type === 'array') return takeApart(answer, choices).map(valueBehind)
  const value = valueBehind(answer)
  const isNumber = (type === 'number' || type === 'integer') && value.trim() !== '' && !Number.isNaN(Number(value))
  return isNumber ? Number(value) : value
}

const joint = ', '

/** Options that were chosen come joined, and may have a comma of their own in them. */
function takeApart(answer: string, choices: readonly Choice[]): string[] {
  const labels = choices.map(({ label }) => label).sort((one, other) => other.length - one.length)
  const first = labels.find((label) => answer === label || answer.startsWith(label + joint))
  if (first === undefined) return answer.split(joint)
  return answer === first ? [first] : [first, ...takeApart(answer.slice(first.length + joint.length), choices)]
}
