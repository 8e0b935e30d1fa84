// The head of an exported session: written in one form, read in several, since a collection may hold exports of other tools
// (`**Session ID:** x`, `- Session ID: x`).
import { type AgentId, agentIds } from '../../model/session.ts'

export interface ExportHeader {
  readonly title: string
  readonly sessionId: string
  readonly workingDirectory: string | null
  readonly repoRoot: string | null
  /** ISO 8601. */
  readonly date: string | null
  readonly agent: AgentId | null
  readonly branch: string | null
  /** An address: `claude:<id>@3`. */
  readonly parent: string | null
}

const fields = [
  ['Session ID', 'sessionId'],
  ['Working Directory', 'workingDirectory'],
  ['Repo Root', 'repoRoot'],
  ['Date', 'date'],
  ['Agent', 'agent'],
  ['Branch', 'branch'],
  ['Parent', 'parent'],
] as const satisfies readonly (readonly [string, keyof ExportHeader])[]

/** `mark` changes when the export has to be written again. */
export function writeHeader(header: ExportHeader, mark: string): string {
  const lines = fields.flatMap(([name, key]) => {
    const value = header[key]
    return value === null ? [] : [`${name}: ${oneLine(value)}`]
  })
  return `# ${oneLine(header.title).slice(0, 200) || '(no title)'}\n\n${lines.join('\n')}\n\n<!-- offshoot export ${mark} -->\n\n`
}

export function readMark(head: string): string | null {
  return /^<!-- offshoot export (\S+) -->$/m.exec(headOnly(head))?.[1] ?? null
}

/** Names in any case, plain, in bold or as a list; `null` without a session id. */
export function readHeader(text: string): ExportHeader | null {
  const head = headOnly(text)
  const found = new Map<string, string>()
  for (const line of head.split('\n')) {
    const [, name, value] =
      /^\s*(?:[-*]\s+)?\**\s*([A-Za-z][A-Za-z _-]{1,30}?)\s*\**\s*:\s*\**\s*(.*?)\s*\**\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined || value === '') continue
    const key = name.toLowerCase().replaceAll(/[ _-]/g, '')
    if (!found.has(key)) found.set(key, value.replace(/^`(.*)`$/, '$1'))
  }
  const get = (name: string) => found.get(name.toLowerCase().replaceAll(' ', '')) ?? null
  const sessionId = get('Session ID') ?? get('Session')
  if (sessionId === null) return null
  const agent = get('Agent')?.toLowerCase() ?? ''
  return {
    title: /^# (.+)$/m.exec(head)?.[1]?.trim() ?? '',
    sessionId: sessionId.replace(/^(?:claude|codex):/, ''),
    workingDirectory: get('Working Directory') ?? get('cwd'),
    repoRoot: get('Repo Root'),
    date: get('Date'),
    agent: agentIds.find((id) => agent.includes(id)) ?? null,
    branch: get('Branch'),
    parent: get('Parent'),
  }
}

/** What was said in the session must not be taken for its head. */
function headOnly(text: string): string {
  const start = text.slice(0, 8000).replaceAll('\r\n', '\n')
  const end = start.search(/^#{2,} /m)
  return end === -1 ? start : start.slice(0, end)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
