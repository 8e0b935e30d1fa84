import { expect, it } from 'vitest'
import { commandName, isReadOnlyCommand } from './read-only-command.ts'

it.each([
  'ls',
  'ls -la src && cat README.md',
  "grep -rn 'a > b' src | head -5",
  'git status --short; git --no-pager diff --stat HEAD~1',
  'git log --oneline -5 2>/dev/null',
  'cd packages/x && pwd',
  'cat a.txt 2>&1 | wc -l',
  "sed -n '1,40p' src/a.ts",
  'find . -name "*.ts" -type f | sort',
  'rg TODO',
  'node --version',
  'git branch --show-current',
  'echo "$HOME"',
])('knows that it only reads: %s', (command) => {
  expect(isReadOnlyCommand(command)).toBe(true)
})

it.each([
  '',
  'echo x > a.txt',
  'echo x >> a.txt',
  'cat a | tee b',
  'npm test',
  'ls; rm -rf x',
  'ls && touch y',
  'cat <<EOF > a\nx\nEOF',
  'echo $(touch x)',
  'echo "$(touch x)"',
  'echo `touch x`',
  'find . -name x -delete',
  'find . -exec rm {} +',
  'sort a -o a',
  'sed -i s/a/b/ x',
  "sed -n 'w out' x",
  'git checkout .',
  'git branch new',
  'git diff --output=x',
  'git stash',
  'git tag v1',
  'FOO=1 make',
  'ls &',
  'ls\ntouch x',
  'uniq a b',
  'awk 1 a',
  'ls "unclosed',
  "echo 2>/dev/null>'x'",
  'xargs rm',
  '{ rm x; }',
])('takes it for writing: %s', (command) => {
  expect(isReadOnlyCommand(command)).toBe(false)
})

it('names a command without its arguments', () => {
  expect(commandName('TOKEN=abc /usr/bin/curl -H secret')).toBe('curl')
  expect(commandName('   ')).toBe('shell')
})
