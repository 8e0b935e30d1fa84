// What a session changed in files, as far as its lines tell: the edit tools record the file before and after, shell commands
// record nothing. Told from the messages of the branch; the tools' own records stand on the lines of their results.
import { setImmediate } from 'node:timers/promises'
import { isObject, parseLine, scanLines } from '../../lib/jsonl.ts'
import { commandName, isReadOnlyCommand } from '../../lib/read-only-command.ts'
import type { Message, ToolCall } from '../../model/session.ts'
import type { SessionFile } from '../agent.ts'
import type { RecordedEdit, RecordedEdits, UnrecordedChange } from '../recorded-edits.ts'
import { type EditResult, editOf, editTools } from './edit-records.ts'
import { readSession } from './read.ts'
import { readSubagent, type Subagent, subagents } from './subagents.ts'

/** Tools that change no file of the project; any other, those of MCP servers too, may. */
const readingTools = new Set(
  (
    'Read Glob Grep LS NotebookRead WebFetch WebSearch TodoWrite TodoRead TaskCreate TaskUpdate TaskGet TaskList TaskOutput ' +
    'AgentOutput BashOutput KillShell TaskStop ToolSearch Skill SlashCommand AskUserQuestion EnterPlanMode ExitPlanMode ' +
    'ListMcpResourcesTool ReadMcpResourceTool LSP SendMessage SendUserMessage StructuredOutput Sleep CronList'
  ).split(' '),
)
const agentTools = new Set(['Agent', 'Task'])
const breathBytes = 8 << 20

interface Found {
  readonly turnId: string
  readonly call: ToolCall
}

export async function readEdits(file: SessionFile, upTo: { readonly turnId: string }): Promise<RecordedEdits> {
  const { calls, asides, unrecorded } = await collect(readSession(file.path, { upTo }))
  const ids = new Set(calls.filter(({ call }) => editTools.has(call.name)).map(({ call }) => call.callId))
  const { results, outside } = await readRecords(file.path, ids, asides)
  const edits: RecordedEdit[] = []
  for (const { turnId, call } of calls) {
    const edit = editTools.has(call.name) ? editOf(call, results.get(call.callId)) : await judge(file, call)
    if (edit === 'none') continue
    if (typeof edit === 'string') unrecorded.push({ turnId, tool: edit })
    else edits.push({ turnId, ...edit })
  }
  return { edits, unrecorded: [...unrecorded, ...outside], startCommit: null }
}

async function collect(entries: ReturnType<typeof readSession>) {
  const calls: Found[] = []
  /** Turn of each line the CLI put in, by its uuid. */
  const asides = new Map<string, string>()
  const unrecorded: { turnId: string; tool: string }[] = []
  for await (const entry of entries) {
    if (entry.kind !== 'message') continue
    const { role, tool, id, turnId } = entry.message
    if (tool !== undefined) calls.push({ turnId, call: tool })
    if (role === 'system') asides.set(id, turnId)
    const typed = typedCommand(entry.message)
    if (typed !== null && !isReadOnlyCommand(typed)) unrecorded.push({ turnId, tool: `!${commandName(typed)}` })
  }
  return { calls, asides, unrecorded }
}

/** A command the person ran with `!`. */
function typedCommand({ role, text }: Message): string | null {
  return role === 'system' ? (/^\s*<bash-input>([\s\S]*?)<\/bash-input>/.exec(text)?.[1] ?? null) : null
}

/** `none` for what changes nothing, else what it is called. */
async function judge(file: SessionFile, { name, arguments: args, callId }: ToolCall): Promise<string> {
  if (readingTools.has(name)) return 'none'
  if (agentTools.has(name)) {
    const helper = subagents(file).find(({ toolUseId }) => toolUseId === callId)
    return helper !== undefined && (await onlyReads(helper)) ? 'none' : name
  }
  if (name !== 'Bash') return name || 'a tool without a name'
  const command = isObject(args) && typeof args.command === 'string' ? args.command : ''
  return isReadOnlyCommand(command) ? 'none' : `Bash: ${commandName(command)}`
}

/** What a subagent edited cannot be put in order with what the session did meanwhile: only one that wrote nothing is let pass. */
async function onlyReads(subagent: Subagent): Promise<boolean> {
  for await (const entry of readSubagent(subagent)) {
    const tool = entry.kind === 'message' ? entry.message.tool : undefined
    if (tool === undefined || readingTools.has(tool.name)) continue
    const command = tool.name === 'Bash' && isObject(tool.arguments) ? tool.arguments.command : undefined
    if (typeof command !== 'string' || !isReadOnlyCommand(command)) return false
  }
  return true
}

/** The second pass: results of the edit tools, and the CLI's notes that a file changed under its hands. */
async function readRecords(path: string, ids: ReadonlySet<string>, asides: ReadonlyMap<string, string>) {
  const results = new Map<string, EditResult>()
  const outside: UnrecordedChange[] = []
  let breath = breathBytes
  for (const line of scanLines(path)) {
    const text = line.buffer.subarray(line.start, line.end)
    if (text.includes('"tool_result"') || text.includes('"edited_text_file"')) {
      const value = parseLine(line)
      if (isObject(value)) {
        noteResult(value, ids, results)
        const note = changeFromOutside(value, asides)
        if (note !== null) outside.push(note)
      }
    }
    if (line.offset > breath) {
      breath = line.offset + breathBytes
      await setImmediate()
    }
  }
  return { results, outside }
}

function noteResult(line: Record<string, unknown>, ids: ReadonlySet<string>, into: Map<string, EditResult>): void {
  const content = isObject(line.message) ? line.message.content : undefined
  if (!Array.isArray(content)) return
  for (const block of content) {
    if (!isObject(block) || block.type !== 'tool_result' || typeof block.tool_use_id !== 'string') continue
    if (!ids.has(block.tool_use_id) || into.has(block.tool_use_id)) continue
    into.set(block.tool_use_id, {
      failed: block.is_error === true,
      record: isObject(line.toolUseResult) ? line.toolUseResult : {},
    })
  }
}

function changeFromOutside(line: Record<string, unknown>, asides: ReadonlyMap<string, string>) {
  const turnId = typeof line.uuid === 'string' ? asides.get(line.uuid) : undefined
  if (turnId === undefined || !isObject(line.attachment) || line.attachment.type !== 'edited_text_file') return null
  return { turnId, tool: `a change from outside to ${String(line.attachment.filename)}`, outside: true as const }
}
