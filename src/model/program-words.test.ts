import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { AppError, type ErrorCode, errorTable } from './error.ts'
import { errorFor, wordsFor } from './program-words.ts'

const faces = ['http', 'mcp'] as const

describe('wordsFor', () => {
  it.each([
    [
      'See `offshoot turns <session>` for its turns.',
      'See `GET /session/{id}/turns` for its turns.',
      'See `list_turns` for its turns.',
    ],
    ['Send to it: `offshoot send quiet otter ...`.', 'Send to it: `POST /workers/quiet/send`.', 'Send to it: `send_to_worker`.'],
    ['Or fork it: `offshoot fork worker:a/b`.', 'Or fork it: `POST /workers/a%2Fb/fork`.', 'Or fork it: `fork_worker`.'],
    ['Use `--terminal print`.', 'Use `terminal: "print"`.', 'Use `terminal: "print"`.'],
    ['Own words go in `--text`.', 'Own words go in `answers`.', 'Own words go in `answers`.'],
    ['Run `git init` in it.', 'Run `git init` in it.', 'Run `git init` in it.'],
    ['Give it `code: "now"`.', 'Give it `code: "now"`.', 'Give it `code: "now"`.'],
  ])('%s', (text, http, mcp) => {
    expect([wordsFor('http', text), wordsFor('mcp', text)]).toEqual([http, mcp])
  })

  it('says of a sentence about what a program cannot do that it is for the user, and of no other', () => {
    expect(wordsFor('http', 'See `offshoot workers`. To look at it: `offshoot attach otter`.')).toBe(
      'See `GET /workers`. The user can do this on the command line: To look at it: `offshoot attach otter`.',
    )
    expect(wordsFor('mcp', 'Answer it first: `offshoot answer otter`.')).toBe(
      'The user can do this on the command line: Answer it first: `offshoot answer otter`.',
    )
  })
})

/** What a program must not be told: a flag anywhere, or a command in a sentence that is not for the user. */
function findLeak(text: string): string | null {
  const forPrograms = text.replace(/The user can do this on the command line: .*?(?:\.(?= |$|['"])|$)/g, '')
  return /`(?:offshoot |--)[^`]*`/.exec(forPrograms)?.[0] ?? null
}

it.each(Object.keys(errorTable) as ErrorCode[])('the hint of %s names nothing that a program cannot use', (code) => {
  for (const face of faces) expect(findLeak(errorFor(face, new AppError(code, 'x')).hint)).toBeNull()
})

it('a hint of the moment goes before that of the code', () => {
  expect(errorFor('http', new AppError('fork_blocked', 'x', { hint: 'Wait.' })).hint).toBe('Wait.')
})

// Every text below the command line and the terminal UI may reach a program: as a message, a hint, a warning, a next step.
describe('texts of the source', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/\.(?:test|testkit)\.ts$|^(?:cli|tui|services)\//.test(name),
  )

  /** The lines that hold text, its quotes as `"`, so that only code spans are left in backticks. */
  const lines = files
    .filter((file) => !isForOthers(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        // `fix` is doctor's and `description` a setting's: both are for the command line alone.
        .filter((line) => !/^\s*(?:\/\/|\/?\*)|\bfix(?::| =)|^\s*(?:description|api):/.test(line))
        .map((line) => ({ file, text: withSpans(line) })),
    )

  it('name commands and flags of offshoot as code spans only', () => {
    const loose = lines.filter(({ text }) => {
      const rest = text.replace(/`[^`]*`/g, '')
      return command.test(`${rest} `) || /[a-z:,(] --[a-z]/.test(rest)
    })
    expect(loose).toEqual([])
  })

  it('leave to the user only what no route and no tool does', () => {
    const spans = [
      ...lines.map(({ text }) => text),
      ...Object.values(errorTable).map((kind) => ('api' in kind ? kind.api : kind.hint)),
    ].flatMap((text) => text.match(/`(?:offshoot |--)[^`]*`/g) ?? [])
    expect(spans.length).toBeGreaterThan(30)
    const ofUser = (face: (typeof faces)[number]) =>
      [
        ...new Set(
          spans
            .filter((span) => wordsFor(face, `Use ${span}.`).startsWith('The user can'))
            .map((span) => /^`(?:offshoot )?([a-z-]+)/.exec(span)?.[1]),
        ),
      ].sort()
    const nowhere = ['--agent', '--project', 'attach', 'config', 'doctor', 'hooks', 'index', 'serve', 'token', 'undo']
    expect(ofUser('http')).toEqual(nowhere)
    expect(ofUser('mcp')).toEqual([...nowhere, 'answer', 'diff'].sort())
  })
})

const command =
  /\boffshoot (?:attach|send|answer|fork|workers|sessions|turns|show|tree|doctor|hooks|config|gc|undo|diff|serve|start|stop|index)[ .;]/

/** In a template the escaped backticks are those of code spans, in a string all of them. */
function withSpans(line: string): string {
  if (line.includes('\\`')) return line.replace(/(?<!\\)`/g, '"').replaceAll('\\`', '`')
  return line.replace(/'(?:[^'\\]|\\.)*'|`/g, (found) => (found === '`' ? '"' : found))
}

/** Command lines of agents and of git; what doctor finds; the table above, which has words of its own for programs. */
function isForOthers(file: string): boolean {
  return /^agents\/\w+\/(?:base-command|run-hooks|notify|abilities|inert|pane|hooks)\.ts$|checks?(?:\/|\.ts)|^model\/error\.ts$/.test(
    file,
  )
}
