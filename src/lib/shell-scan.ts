// The scanner below shell-words: splits a line of POSIX shell (and what bash and zsh add to it daily) into the words of its
// simple commands. Total: an open quote or bracket reaches to the end of the line, and what follows is simply no command.

export interface ShellWord {
  /** Where it stands in the line, quotes included. */
  readonly start: number
  readonly end: number
  /** What the program would get: quotes taken away, expansions left as they are written. */
  readonly text: string
  /** Nothing in it is expanded: `text` is what the program gets. */
  readonly isLiteral: boolean
}

/** Words that may stand before a command and are not part of it. */
const reserved = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '{', '}', '!', 'fi', 'done', 'esac'])

interface Scan {
  readonly found: ShellWord[][]
  /** Of the `$(...)` it is in. */
  depth: number
}

/** No person nests deeper; what is below is passed over, so that no line can exhaust the stack. */
const maxDepth = 100

export function scanCommands(line: string): ShellWord[][] {
  const scan: Scan = { found: [], depth: 0 }
  scanList(line, 0, '', scan)
  return scan.found
}

/** Scans commands from `at` up to the bracket `until` (or the end), and answers where that is. */
function scanList(line: string, from: number, until: '' | ')', scan: Scan): number {
  let words: ShellWord[] = []
  const hereDocuments: { readonly end: string; readonly tabs: boolean }[] = []
  const endCommand = () => {
    if (words.length > 0) scan.found.push(words)
    words = []
  }
  let at = from
  let depth = 0
  while (at < line.length) {
    const char = line.charAt(at)
    const operator = redirection(line, at)
    if (char === ')' && until === ')' && depth === 0) break
    if (char === ' ' || char === '\t') at += 1
    else if (line.startsWith('\\\n', at)) at += 2
    else if (char === '#') at = endOfLine(line, at)
    else if (char === '\n') {
      endCommand()
      at = skipHereDocuments(line, at + 1, hereDocuments.splice(0))
    } else if (operator !== null) {
      const target = scanWord(line, skipBlanks(line, at + operator.length), scan)
      if (/<<-?$/.test(operator)) hereDocuments.push({ end: target.text, tabs: operator.endsWith('-') })
      at = Math.max(target.end, at + operator.length)
    } else if (/[;&|()]/.test(char)) {
      if (char === '(') depth += 1
      if (char === ')') depth = Math.max(0, depth - 1)
      endCommand()
      at += 1
    } else {
      const word = scanWord(line, at, scan)
      if (words.length > 0 || !reserved.has(line.slice(word.start, word.end))) words.push(word)
      at = word.end
    }
  }
  endCommand()
  return at
}

/** `2>&1`, `>>`, `<<-`, `&>`: the operator at this place, `null` where there is none. `<(...)` is a word. */
function redirection(line: string, at: number): string | null {
  const operator = /^(\d*|\{\w+\})(&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<|>)/.exec(line.slice(at, at + 60))?.[0]
  if (operator === undefined) return null
  return /^[<>]$/.test(operator) && line.charAt(at + 1) === '(' ? null : operator
}

function skipBlanks(line: string, from: number): number {
  let at = from
  while (line.charAt(at) === ' ' || line.charAt(at) === '\t') at += 1
  return at
}

function endOfLine(line: string, from: number): number {
  const end = line.indexOf('\n', from)
  return end === -1 ? line.length : end
}

function skipHereDocuments(line: string, from: number, documents: readonly { end: string; tabs: boolean }[]): number {
  let at = from
  for (const { end, tabs } of documents) {
    while (at < line.length) {
      const stop = endOfLine(line, at)
      const text = line.slice(at, stop)
      at = Math.min(line.length, stop + 1)
      if ((tabs ? text.replace(/^\t+/, '') : text) === end) break
    }
  }
  return at
}

/** The word that begins here; commands inside its `$(...)` are found too. */
function scanWord(line: string, start: number, scan: Scan): ShellWord {
  let text = ''
  let isLiteral = true
  let at = start
  while (at < line.length) {
    const char = line.charAt(at)
    const isProcess = at === start && /^[<>]\($/.test(line.slice(at, at + 2))
    if (/[ \t\n;&|()<>]/.test(char) && !isProcess) break
    const expanded = expansionEnd(line, at, scan)
    if (char === '\\') {
      if (line.charAt(at + 1) !== '\n') text += line.charAt(at + 1)
      at = Math.min(line.length, at + 2)
    } else if (char === "'") {
      const end = closing(line, at + 1, "'")
      text += line.slice(at + 1, end)
      at = Math.min(line.length, end + 1)
    } else if (char === '"') {
      const quoted = scanDoubleQuotes(line, at + 1, scan)
      text += quoted.text
      isLiteral &&= quoted.isLiteral
      at = quoted.end
    } else if (expanded !== null) {
      text += line.slice(at, expanded)
      isLiteral = false
      at = expanded
    } else {
      if (/[*?[]/.test(char) || (char === '~' && at === start) || char === '{') isLiteral = false
      text += char
      at += 1
    }
  }
  return { start, end: at, text, isLiteral }
}

function scanDoubleQuotes(line: string, from: number, scan: Scan): { text: string; isLiteral: boolean; end: number } {
  let text = ''
  let isLiteral = true
  let at = from
  while (at < line.length && line.charAt(at) !== '"') {
    const char = line.charAt(at)
    const next = line.charAt(at + 1)
    const end = expansionEnd(line, at, scan, true)
    if (char === '\\' && /["\\$`\n]/.test(next)) {
      if (next !== '\n') text += next
      at += 2
    } else if (end !== null) {
      text += line.slice(at, end)
      isLiteral = false
      at = end
    } else {
      text += char
      at += 1
    }
  }
  return { text, isLiteral, end: Math.min(line.length, at + 1) }
}

/** Where the expansion that begins here ends (`$x`, `${...}`, `$(...)`, backticks, `<(...)`, `$'...'`); `null`: none begins. */
function expansionEnd(line: string, at: number, scan: Scan, quoted = false): number | null {
  const two = line.slice(at, at + 2)
  if (line.charAt(at) === '`') return Math.min(line.length, closing(line, at + 1, '`') + 1)
  if (two === '$(' || (!quoted && (two === '<(' || two === '>('))) {
    if (scan.depth === maxDepth) return line.length
    scan.depth += 1
    const end = scanList(line, at + 2, ')', scan)
    scan.depth -= 1
    return Math.min(line.length, end + 1)
  }
  if (two === '${') return Math.min(line.length, closing(line, at + 2, '}') + 1)
  if (!quoted && two === "$'") return Math.min(line.length, closing(line, at + 2, "'", true) + 1)
  return line.charAt(at) === '$' && /[\w@*#?$!-]/.test(line.charAt(at + 1)) ? at + 2 : null
}

/** The next `end`, or the end of the line; a backslash hides it except in single quotes. */
function closing(line: string, from: number, end: string, escapes = end !== "'"): number {
  for (let at = from; at < line.length; at += 1) {
    if (escapes && line.charAt(at) === '\\') at += 1
    else if (line.charAt(at) === end) return at
  }
  return line.length
}
