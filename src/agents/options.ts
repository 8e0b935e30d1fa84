// The options of a question, which Claude Code and Codex write alike: a label and what it means.
import { isObject } from '../lib/jsonl.ts'
import type { QuestionOption } from '../model/question.ts'

export function readOptions(options: unknown): QuestionOption[] {
  const known = Array.isArray(options) ? options.filter(isObject) : []
  return known.flatMap(({ label, description }) =>
    typeof label === 'string' ? [{ label, description: typeof description === 'string' ? description : null }] : [],
  )
}
