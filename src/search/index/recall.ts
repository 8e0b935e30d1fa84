// What a person would remember of a tool call: the file, the command, the words looked for, the errors. Whole outputs are
// neither searched for nor worth their room. Everything comes as it stands in the call: to shorten it is left for after the
// redaction, which goes by what stands around a secret.
import { isAbsolute, join, normalize } from 'node:path'
import type { ToolCall } from '../../model/session.ts'
import type { TouchedFile } from '../../store/search-index.ts'

export interface Recalled {
  readonly name: string
  readonly paths: readonly string[]
  readonly edited: boolean
  /** Field by field: a secret is known by what surrounds it in its own field. */
  readonly words: readonly string[]
  readonly errors: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** The agents' names for the file a tool works on. */
const fileFields = ['file_path', 'notebook_path', 'path', 'filename'] as const
/** And for the rest that is worth remembering, the most telling first. */
const wordFields = ['command', 'cmd', 'pattern', 'query', 'url', 'description', 'subject', 'skill'] as const
const editors = /^(?:write|edit|multiedit|notebookedit|update|create|str_replace|apply_patch|delete|rename)/i
const patchedFile = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm

export function recallTool(tool: ToolCall): Recalled {
  const given = tool.arguments
  const fields: Fields = typeof given === 'object' && given !== null ? (given as Fields) : {}
  const patch = patchOf(given, fields)
  return {
    name: tool.name,
    paths: (patch === null ? filesOf(fields) : patchedFiles(patch)).filter(isPath),
    edited: editors.test(tool.name) || patch !== null,
    words: patch === null ? wordsOf(given, fields) : [],
    errors: errorLines(tool),
  }
}

/** As text to search; `paths` and the rest without secrets. */
export function tellTool({ name, paths, words, errors }: Recalled): string {
  return [name, ...paths.map(shorten), ...words, ...errors].filter((part) => part !== '').join(' ')
}

export function filesTouched({ paths, edited }: Recalled, cwd: string | null): TouchedFile[] {
  return paths.map((path) => ({ path: place(path, cwd), edited }))
}

/** A patch comes as the whole argument (Codex), in a field, or inside a shell command. */
function patchOf(given: unknown, fields: Fields): string | null {
  const texts = [given, fields.input, fields.patch, fields.command, fields.cmd].flat()
  return texts.find((text): text is string => typeof text === 'string' && text.includes('*** Begin Patch')) ?? null
}

function patchedFiles(patch: string): string[] {
  return [...patch.matchAll(patchedFile)].map(([, path, to]) => (path ?? to ?? '').trim())
}

function filesOf(fields: Fields): string[] {
  return fileFields.map((name) => fields[name]).filter((path): path is string => typeof path === 'string' && path !== '')
}

function wordsOf(given: unknown, fields: Fields): string[] {
  if (typeof given === 'string') return [firstLines(given)]
  return wordFields
    .map((name) => fields[name])
    .map((value) => (Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? firstLines(value) : ''))
    .filter((text) => text !== '')
}

/** A command's first lines say what it is; a script behind them is content. */
const maxLines = 4

function firstLines(text: string): string {
  let end = -1
  for (let line = 0; line < maxLines; line += 1) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return text
  }
  return text.slice(0, end)
}

/** The last three steps of a path: what comes before them is the same for the whole project. */
function shorten(path: string): string {
  return path.split('/').slice(-3).join('/')
}

function isPath(path: string): boolean {
  return path.length < 1024 && !path.includes('\n') && !/[*?]/.test(path)
}

function place(path: string, cwd: string | null): string {
  if (isAbsolute(path) || cwd === null) return normalize(path)
  return join(cwd, path)
}

const looksAt = 6000
const maxErrors = 4
const errorLine = /(?:error|exception|panic|fatal|traceback|failed|failure|cannot|undefined reference|not found)\b/i

/** Errors stand at the end of an output or at its beginning; lines cut in half by looking only there are left out. */
function errorLines({ output, exitCode }: ToolCall): string[] {
  if (output === null || output === '' || exitCode === 0) return []
  const head = output.length > looksAt ? output.slice(0, output.lastIndexOf('\n', looksAt / 2) + 1) : output
  const from = output.length > looksAt ? output.indexOf('\n', output.length - looksAt / 2) + 1 : output.length
  const seen = `${head}\n${from > 0 ? output.slice(from) : ''}`
  // Most outputs name none: to look once is cheaper than line by line.
  if (!errorLine.test(seen)) return []
  const lines = seen.split('\n')
  const found = lines.map((line) => line.trim()).filter((line) => line.length > 8 && line.length < 400 && errorLine.test(line))
  return [...new Set(found)].slice(0, maxErrors)
}
