// Tells of a shell command whether it certainly only reads. A short list on purpose: whatever is not on it may have written
// files, and then a state put together from recorded edits would silently lack them.

/** Commands that write nothing, whatever their arguments. */
const readers = new Set(
  (
    'ls cat head tail wc grep egrep fgrep pwd echo printf true false test [ stat file du df which whoami id date uname hostname ' +
    'basename dirname realpath readlink cut tr nl tac rev diff cmp comm od hexdump md5sum sha1sum sha256sum jq cd sleep seq ps :'
  ).split(' '),
)

/** Flags with which these write or run something else. */
const refusedFlags: Readonly<Record<string, RegExp>> = {
  find: /^-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/,
  rg: /^--(pre|hostname-bin)/,
  sort: /^(-[a-zA-Z]*o|--output|--compress-program)/,
  tree: /^(-[a-zA-Z]*o|--output)/,
}

const gitReaders = new Set(
  'status diff log show rev-parse ls-files ls-tree blame describe shortlog cat-file grep rev-list merge-base name-rev'.split(' '),
)
const gitRefused = /^(--output|--ext-diff|--textconv|--paginate|-O|--open-files-in-pager)/
const gitListings: Readonly<Record<string, RegExp>> = {
  branch: /^(-a|-r|-v|-vv|--all|--remotes|--list|--show-current|--verbose)$/,
  remote: /^(-v|--verbose)$/,
  tag: /^(-l|--list)$/,
  stash: /^list$/,
}

const versionAskers = new Set('node npm npx pnpm yarn python python3 pip ruby go cargo rustc java tsc gcc make git'.split(' '))

export function isReadOnlyCommand(command: string): boolean {
  const parts = splitCommand(command)
  return parts?.every(isReader) ?? false
}

/** What a person would call it: the first word, without its folder; never arguments, which may hold secrets. */
export function commandName(command: string): string {
  const words = command.trim().split(/\s+/)
  const first = words.find((word) => !/^\w+=/.test(word)) ?? ''
  return (
    first
      .replace(/^.*\//, '')
      .replace(/[^\w.+-]/g, '')
      .slice(0, 40) || 'shell'
  )
}

function isReader(words: readonly string[]): boolean {
  const [name = '', ...args] = words
  if (readers.has(name)) return true
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v') && versionAskers.has(name)) return true
  if (name === 'git') return isGitReader(args)
  // Only printing of lines by number: sed's own commands can write and run.
  if (name === 'sed') return args[0] === '-n' && /^\d+(,(\d+|\$))?p$/.test(args[1] ?? '') && !args.slice(2).some(isFlag)
  const refused = refusedFlags[name]
  return refused !== undefined && !args.some((arg) => refused.test(arg))
}

function isGitReader(args: readonly string[]): boolean {
  const rest = args[0] === '--no-pager' ? args.slice(1) : args[0] === '-C' ? args.slice(2) : args
  const [verb = '', ...more] = rest
  if (gitReaders.has(verb)) return !more.some((arg) => gitRefused.test(arg))
  const listing = gitListings[verb]
  if (listing === undefined) return false
  return verb === 'stash' ? more.length === 1 && listing.test(more[0] ?? '') : more.every((arg) => listing.test(arg))
}

function isFlag(arg: string): boolean {
  return arg.startsWith('-')
}

/** Output that goes nowhere; standing by themselves. */
const harmlessRedirection = /^(2>&1|[12]?>\s*\/dev\/null|&>\s*\/dev\/null)(?=$|[\s;|&)])/

/** The words of each simple command of a line; `null` where it holds anything but plain commands, pipes and lists. */
function splitCommand(command: string): string[][] | null {
  const commands: string[][] = [[]]
  let word: string | null = null
  const endWord = () => {
    if (word !== null) commands.at(-1)?.push(word)
    word = null
  }
  for (let at = 0; at < command.length; at += 1) {
    const char = command.charAt(at)
    const rest = command.slice(at)
    if (char === "'" || char === '"') {
      const end = closingQuote(command, at)
      if (end === -1) return null
      const inside = command.slice(at + 1, end)
      if (char === '"' && /[`\\]|\$\(/.test(inside)) return null
      word = (word ?? '') + inside
      at = end
    } else if (/\s/.test(char) && char !== '\n') endWord()
    else if (word === null && harmlessRedirection.test(rest)) at += (harmlessRedirection.exec(rest)?.[0].length ?? 1) - 1
    else if (/^(&&|\|\|)/.test(rest)) {
      endWord()
      commands.push([])
      at += 1
    } else if (char === ';' || char === '|' || char === '\n') {
      endWord()
      commands.push([])
    } else if (/[<>&`(){}#\\!]/.test(char) || rest.startsWith('$(') || rest.startsWith('<<')) return null
    else word = (word ?? '') + char
  }
  endWord()
  const filled = commands.filter((words) => words.length > 0)
  return filled.length === 0 ? null : filled
}

function closingQuote(command: string, at: number): number {
  return command.indexOf(command.charAt(at), at + 1)
}
