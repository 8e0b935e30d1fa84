import { expect, test } from 'vitest'
import { modelNameProblem } from './model-name.ts'

test.each(['opus', 'claude-opus-5-5', 'opus[1m]', 'anthropic/claude:beta', 'gpt-5.5', 'arn:aws:x/y', 'ümläut'])(
  '%s may be a model',
  (name) => expect(modelNameProblem(name)).toBeNull(),
)

test.each(['', '-m', '--model', 'a b', 'a\tb', 'a\nb', '\u001b[31m', 'a\u0000', 'a\u202eb', 'x'.repeat(201)])(
  '%j may not',
  (name) => expect(modelNameProblem(name)).toMatch(/^A model/),
)
