import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutWords, findCalls, insertAfter, quoteWord, type ShellCall } from './shell-words.ts'

const isX = (name: string) => name === 'x'
const told = (line: string) =>
  findCalls(line, isX).map(({ program, args }: ShellCall) => [program, ...args].map((word) => word.text))

describe('findCalls', () => {
  it.each<[string, string[][]]>([
    ['x', [['x']]],
    ['x a "b c" \'d e\' f\\ g', [['x', 'a', 'b c', 'd e', 'f g']]],
    ['cd y && FOO="a b" x --flag=1 | tee log', [['x', '--flag=1']]],
    ['/usr/bin/x a; y b & ./x c || x', [['x', 'a'].map((w) => (w === 'x' ? '/usr/bin/x' : w)), ['./x', 'c'], ['x']]],
    ['x a > out 2>&1 b <in c &>all d', [['x', 'a', 'b', 'c', 'd']]],
    ['x a # x b', [['x', 'a']]],
    ['x a#b', [['x', 'a#b']]],
    ['echo x a', []],
    ['env A=1 B=2 x a', [['x', 'a']]],
    ['env A=/bin/x y a', []],
    [
      'exec x a; nohup timeout 5 x b',
      [
        ['x', 'a'],
        ['x', 'b'],
      ],
    ],
    ['(cd y; x a) | cat', [['x', 'a']]],
    ['{ x a; }', [['x', 'a']]],
    [
      'if x a; then x b; else ! x c; fi',
      [
        ['x', 'a'],
        ['x', 'b'],
        ['x', 'c'],
      ],
    ],
    [
      'echo "$(x a)" $(x b) <(x c) $((1 + 2))',
      [
        ['x', 'a'],
        ['x', 'b'],
        ['x', 'c'],
      ],
    ],
    ["echo '$(x a)' `x b`", []],
    ["x $HOME \"${a b}\" $'q\\'r' s", [['x', '$HOME', '${a b}', "$'q\\'r'", 's']]],
    ['x \\\n  a \\\n  b', [['x', 'a', 'b']]],
    [
      'x a\nx b',
      [
        ['x', 'a'],
        ['x', 'b'],
      ],
    ],
    [
      "x a <<'E F' b\nx in the text\nE F\nx c",
      [
        ['x', 'a', 'b'],
        ['x', 'c'],
      ],
    ],
    ['x <<-E\n\tx text\n\tE\nx c', [['x'], ['x', 'c']]],
    ['x <<< "x y" a', [['x', 'a']]],
    ['x a\u00a0b', [['x', 'a\u00a0b']]],
    ["x 'open x a", [['x', 'open x a']]],
    [
      'x "open $(x a',
      [
        ['x', 'open $(x a'],
        ['x', 'a'],
      ].reverse(),
    ],
    ['', []],
  ])('%j', (line, calls) => {
    expect(told(line)).toEqual(calls)
  })

  it('says which words it knows', () => {
    const words = findCalls('x a "b" \'$c\' "$d" e* ~f $(g)', isX)[0]?.args
    expect(words?.map((word) => word.isLiteral)).toEqual([true, true, true, false, false, false, false])
  })

  it('never fails, and every word stands where it says', () => {
    const pieces = ['x', ' ', '"', "'", '$(', ')', '(', '`', '\\', '\n', '|', '&', '>', '<<', '#', '${', '}', 'a', '-b', '{', '=']
    const line = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((all) => all.join(''))
    fc.assert(
      fc.property(line, (text) => {
        for (const { program, args } of findCalls(text, isX)) {
          for (const word of [program, ...args])
            expect(0 <= word.start && word.start < word.end && word.end <= text.length).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('nests deep without taking for ever', () => {
    const nested = (depth: number) => findCalls(`${'$('.repeat(depth)}x a${')'.repeat(depth)}`, isX)
    expect(nested(90)).toHaveLength(1)
    expect(nested(30_000)).toHaveLength(0)
  })
})

describe('cutWords and insertAfter', () => {
  it('take words out and put some in, and leave the rest', () => {
    const line = 'A=1 x  a \\\n  b   c>log | tee  "y"  # x b'
    const call = findCalls(line, isX)[0]
    if (call === undefined) throw new Error('no call')
    expect(cutWords(line, call.args.slice(1, 2))).toBe('A=1 x  a   c>log | tee  "y"  # x b')
    expect(cutWords(line, call.args)).toBe('A=1 x>log | tee  "y"  # x b')
    expect(insertAfter(line, call.program, '--new')).toBe('A=1 x --new  a \\\n  b   c>log | tee  "y"  # x b')
  })
})

describe('against a real shell', () => {
  const word = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !/[\0\ud800-\udfff]/.test(text))

  it('quotes every text as one word, and reads it back', () => {
    const texts = fc.sample(word, 150)
    const line = `x ${texts.map(quoteWord).join(' ')}`
    expect(findCalls(line, isX)[0]?.args.map(({ text }) => text)).toEqual(texts)
    const seen = execFileSync('sh', ['-c', `printf '%s\\0' ${texts.map(quoteWord).join(' ')}`], { encoding: 'utf8' })
    expect(seen.split('\0').slice(0, -1)).toEqual(texts)
  })

  it('reads words as the shell does', () => {
    const line = `x "a\\"b\\c" 'd'"e"f\\'g '' "h
i" j\\
k "\\$l" #m`
    const seen = execFileSync('sh', ['-c', `x() { printf '%s\\0' "$@"; }\n${line}`], { encoding: 'utf8' })
    expect(findCalls(line, isX)[0]?.args.map(({ text }) => text)).toEqual(seen.split('\0').slice(0, -1))
  })
})
