// How programs read messages that name commands and flags of the command line. Messages are written once, with commands and flags
// as code spans (`offshoot send otter ...`, `--terminal tmux`); here HTTP and MCP get the route or tool and the parameter instead.
// Pure.
import { type AppError, errorTable } from './error.ts'

export type ProgramFace = 'http' | 'mcp'

interface Counterpart {
  /** `{}` stands for what the command is given. */
  readonly http: string | null
  readonly mcp: string | null
}

/** What a program does instead of a command; `null`: only the user can do it. */
const counterparts: Readonly<Record<string, Counterpart>> = {
  sessions: { http: 'GET /session', mcp: 'list_sessions' },
  search: { http: 'GET /search', mcp: 'search_sessions' },
  turns: { http: 'GET /session/{id}/turns', mcp: 'list_turns' },
  show: { http: 'GET /session/{id}/message', mcp: 'read_session' },
  tree: { http: 'GET /tree', mcp: 'session_tree' },
  diff: { http: 'GET /session/{id}/diff', mcp: null },
  fork: { http: 'POST /session/{id}/fork', mcp: 'fork_session' },
  'fork worker': { http: 'POST /workers/{}/fork', mcp: 'fork_worker' },
  start: { http: 'POST /workers', mcp: 'spawn_workers' },
  workers: { http: 'GET /workers', mcp: 'list_workers' },
  send: { http: 'POST /workers/{}/send', mcp: 'send_to_worker' },
  answer: { http: 'POST /workers/{}/permission', mcp: null },
  interrupt: { http: 'POST /workers/{}/interrupt', mcp: null },
  stop: { http: 'DELETE /workers/{}', mcp: null },
}

/** Flags by the parameter that both faces have; those of commands that programs do not run are the user's. */
const parametersOf: Readonly<Record<string, string>> = { terminal: 'terminal', engine: 'engine', text: 'answers' }

const byUser = 'The user can do this on the command line:'

/** A message without commands and flags that a program cannot use; a sentence about what only the user can do says so. */
export function wordsFor(face: ProgramFace, text: string): string {
  return text
    .split(/(?<=[.!?]) (?=[A-Z`"])/)
    .map((sentence) => {
      let isForUser = false
      const said = sentence.replace(/`([^`]+)`/g, (span, inside: string) => {
        const words = translate(face, inside)
        isForUser ||= words === null
        return words ?? span
      })
      return isForUser ? `${byUser} ${said}` : said
    })
    .join(' ')
}

/** `null`: it is the user's. What is neither a command of ours nor a flag stays as it is. */
function translate(face: ProgramFace, span: string): string | null {
  const flag = /^--([a-z-]+)(?: (.*))?$/.exec(span)
  if (flag !== null) {
    if (flag[1] === 'all') return 'no `project_path`'
    const name = parametersOf[flag[1] ?? '']
    if (name === undefined) return null
    return flag[2] === undefined || name === 'answers' ? `\`${name}\`` : `\`${name}: ${JSON.stringify(flag[2])}\``
  }
  const [program, verb = '', subject = ''] = span.split(' ')
  if (program !== 'offshoot') return `\`${span}\``
  const worker = /^worker:(.*)$/.exec(subject)?.[1]
  const counterpart = counterparts[worker === undefined ? verb : `${verb} worker`]?.[face] ?? null
  if (counterpart === null) return null
  return `\`${counterpart.replace('{}', encodeURIComponent(worker ?? subject) || '{id}')}\``
}

export interface ProgramError {
  readonly code: AppError['code']
  readonly message: string
  readonly hint: string
}

/** An error as a program gets it. */
export function errorFor(face: ProgramFace, { code, message, hint }: AppError): ProgramError {
  const kind: { readonly hint: string; readonly api?: string } = errorTable[code]
  const advice = hint === kind.hint ? (kind.api ?? hint) : hint
  return { code, message: wordsFor(face, message), hint: wordsFor(face, advice) }
}
