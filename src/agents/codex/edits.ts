// What a thread changed in files, as far as its lines tell: apply_patch in its forms (a tool of its own, a function, a heredoc
// in a shell) with what Codex recorded of the outcome; shell commands record nothing. Both generations.
import { isObject } from '../../lib/jsonl.ts'
import { commandName, isReadOnlyCommand } from '../../lib/read-only-command.ts'
import { systemText } from '../../lib/system-text.ts'
import type { ToolCall } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { AgentEnv } from '../agent-env.ts'
import type { RecordedEdit, RecordedEdits } from '../recorded-edits.ts'
import { changesOf, plainPath } from './change-records.ts'
import { scanHistory } from './history.ts'
import { breathe, pause, type RolloutRecord, textOrNull } from './lines.ts'
import { type PatchEdit, parsePatch, patchInShell } from './patch-text.ts'
import { openThread, read } from './read.ts'

/** Tools that change no file; any other may. */
const readingTools = new Set(
  (
    'update_plan view_image tool_search web_search image_generation list_mcp_resources list_mcp_resource_templates ' +
    'read_mcp_resource request_user_input wait_agent close_agent list_agents get_goal update_goal create_goal'
  ).split(' '),
)
export const shellTools = new Set(['exec_command', 'shell', 'shell_command', 'local_shell', 'container.exec'])

interface Outcome {
  readonly success: boolean
  /** `null` when it could not be read. */
  readonly edits: readonly PatchEdit[] | null
}

interface Records {
  readonly outcomes: ReadonlyMap<string, Outcome>
  /** Folder of each turn. */
  readonly folders: ReadonlyMap<string, string>
  readonly cwd: string
  readonly startCommit: string | null
}

export async function readEdits(file: SessionFile, env: AgentEnv, upTo: { readonly turnId: string }): Promise<RecordedEdits> {
  const records = await readRecords(file, env)
  const edits: RecordedEdit[] = []
  const unrecorded: { turnId: string; tool: string }[] = []
  for await (const entry of read(file, env, { upTo })) {
    if (entry.kind !== 'message') continue
    const { turnId, role, text, tool } = entry.message
    const typed = role === 'system' ? typedCommand(text) : null
    if (typed !== null && !isReadOnlyCommand(typed)) unrecorded.push({ turnId, tool: `!${commandName(typed)}` })
    const found = tool === undefined ? [] : judge(tool, records, turnId)
    if (typeof found === 'string') unrecorded.push({ turnId, tool: found })
    else edits.push(...found.map((edit) => ({ turnId, ...edit })))
  }
  return { edits, unrecorded, startCommit: records.startCommit }
}

/** A command the person ran with `!`. */
function typedCommand(text: string): string | null {
  return /^\s*<user_shell_command>\s*<command>\s*([\s\S]*?)\s*<\/command>/.exec(text)?.[1] ?? null
}

/** The edits of a call, none where it changed nothing; or what it is called where that cannot be told. */
function judge(tool: ToolCall, records: Records, turnId: string): readonly PatchEdit[] | string {
  if (readingTools.has(tool.name)) return []
  const folder = records.folders.get(turnId) ?? records.cwd
  const shell = shellTools.has(tool.name) ? shellScript(tool.arguments, folder) : null
  const patch = tool.name === 'apply_patch' ? { patch: patchText(tool.arguments), cwd: folder } : shell?.patch
  if (patch === null || patch === undefined) {
    if (shell === null) return tool.name || 'a tool without a name'
    return isReadOnlyCommand(shell.script) ? [] : `${tool.name}: ${commandName(shell.script)}`
  }
  const outcome = records.outcomes.get(tool.callId)
  if (outcome !== undefined) return outcome.success ? (outcome.edits ?? tool.name) : failed(tool)
  // Older files tell the outcome by the output alone.
  if (tool.exitCode === null && !/^Success\. Updated/m.test(tool.output ?? '')) return failed(tool)
  return tool.exitCode === null || tool.exitCode === 0 ? (parsePatch(patch.patch, patch.cwd) ?? tool.name) : failed(tool)
}

/** A patch that does not fit is refused before anything is written; only then is nothing changed for certain. */
function failed({ name, output }: ToolCall): readonly PatchEdit[] | string {
  return /verification failed|invalid patch|rejected by user|patch rejected|Failed to find/i.test(output ?? '') ? [] : name
}

export function patchText(args: unknown): string {
  if (typeof args === 'string') return args
  return isObject(args) ? (textOrNull(args.input) ?? textOrNull(args.patch) ?? '') : ''
}

export function shellScript(args: unknown, folder: string) {
  const call = isObject(args) ? args : {}
  const cwd = textOrNull(call.workdir) ?? textOrNull(call.working_directory) ?? folder
  const command = call.cmd ?? call.command
  if (typeof command === 'string') return { script: command, patch: patchInShell(command, cwd) }
  if (!Array.isArray(command)) return { script: '', patch: null }
  const argv = command.map(String)
  if (argv[0] === 'apply_patch' && argv.length === 2) return { script: argv[0], patch: { patch: argv[1] ?? '', cwd } }
  // Words of a shell's own command line; without a shell, quoted so that nothing in them is taken for more than a word.
  const script =
    /^(.*\/)?(ba|z|da)?sh$/.test(argv[0] ?? '') && /^-l?c$/.test(argv[1] ?? '') ? (argv[2] ?? '') : argv.map(quote).join(' ')
  return { script, patch: patchInShell(script, cwd) }
}

function quote(word: string): string {
  return /^[\w./=:,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", '')}'`
}

async function readRecords(file: SessionFile, env: AgentEnv): Promise<Records> {
  const { history, to } = openThread(file.path, env)
  const outcomes = new Map<string, Outcome>()
  const folders = new Map<string, string>()
  for (const record of scanHistory(history, { to })) {
    if (record === pause) await breathe()
    else noteRecord(record, outcomes, folders)
  }
  const git = history.firstMeta?.git
  const startCommit = isObject(git) ? systemText(git.commit_hash) : null
  return { outcomes, folders, cwd: systemText(history.meta?.cwd) ?? '/', startCommit }
}

function noteRecord(record: RolloutRecord, outcomes: Map<string, Outcome>, folders: Map<string, string>): void {
  if (record.type === 'turn_context') {
    const { turn_id: turnId, cwd } = record.payload ?? {}
    const folder = plainPath(cwd)
    if (typeof turnId === 'string' && folder !== null) folders.set(turnId, folder)
  } else if (record.subtype === 'patch_apply_end') {
    const { call_id: callId, success, changes } = record.payload ?? {}
    if (typeof callId === 'string') outcomes.set(callId, { success: success === true, edits: changesOf(changes) })
  } else if (record.subtype === 'item_completed' && record.commandId === null) {
    const item = record.payload?.item
    if (!isObject(item) || item.type !== 'FileChange' || typeof item.id !== 'string') return
    outcomes.set(item.id, { success: item.status === 'completed', edits: changesOf(item.changes) })
  }
}
