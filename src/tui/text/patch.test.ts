import { expect, test } from 'vitest'
import { pairUp, parsePatch } from './patch.ts'

const patch = `diff --git a/src/a.sql b/src/a.sql
index 111..222 100644
--- a/src/a.sql
+++ b/src/a.sql
@@ -1,4 +1,4 @@ head
 same
--- a comment of SQL, removed
-two
+++ added
+2
 end
\\ No newline at end of file
@@ -9 +9,2 @@
 nine
+ten
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 111..000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-last
diff --git a/x.png b/x.png
index 111..222 100644
Binary files a/x.png and b/x.png differ
`

test('files, hunks and lines with their numbers; a removed line that begins with -- is one', () => {
  const parts = parsePatch(patch)
  expect(parts.filter(({ kind }) => kind === 'file')).toEqual([
    { kind: 'file', path: 'src/a.sql' },
    { kind: 'file', path: 'new name.txt' },
    { kind: 'file', path: 'gone.txt' },
    { kind: 'file', path: 'x.png' },
  ])
  expect(parts[2]).toEqual({
    kind: 'lines',
    lines: [
      { kind: 'same', before: 1, after: 1, text: 'same' },
      { kind: 'removed', before: 2, after: null, text: '-- a comment of SQL, removed' },
      { kind: 'removed', before: 3, after: null, text: 'two' },
      { kind: 'added', before: null, after: 2, text: '++ added' },
      { kind: 'added', before: null, after: 3, text: '2' },
      { kind: 'same', before: 4, after: 4, text: 'end' },
    ],
  })
  expect(parts[4]).toMatchObject({
    lines: [
      { before: 9, after: 9 },
      { before: null, after: 10 },
    ],
  })
  const notes = parts.flatMap((part) => (part.kind === 'note' ? [part.text] : []))
  expect(notes).toEqual([
    'rename from old name.txt',
    'rename to new name.txt',
    'deleted file mode 100644',
    'Binary files a/x.png and b/x.png differ',
  ])
})

test('what was removed stands beside what came for it, the rest beside nothing', () => {
  const line = (kind: 'same' | 'removed' | 'added', text: string) => ({ kind, before: 1, after: 1, text })
  const [one, two, three, same, four] = [
    line('removed', '1'),
    line('removed', '2'),
    line('added', '3'),
    line('same', '='),
    line('added', '4'),
  ] as const
  expect(pairUp([one, two, three, same, four])).toEqual([
    { left: one, right: three },
    { left: two, right: null },
    { left: same, right: same },
    { left: null, right: four },
  ])
})

test('what is no patch is shown as it is', () => {
  expect(parsePatch('')).toEqual([])
  expect(parsePatch('@@ -1,3 +1 @@\n-cut')).toMatchObject([{ kind: 'hunk' }, { lines: [{ text: 'cut' }] }])
})
