// Lines of edit tools and shell commands for made-up Claude sessions, in the shape the CLI writes.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import type { FakeSession, Line } from '../../src/catalog/sandbox.testkit.ts'

export interface Call {
  readonly name: string
  readonly input: Line
  readonly result: Line
}

export function write(path: string, content: string, originalFile: string | null = null): Call {
  const type = originalFile === null ? 'create' : 'update'
  return { name: 'Write', input: { file_path: path, content }, result: { type, filePath: path, content, originalFile } }
}

export function edit(path: string, before: string, oldString: string, newString: string): Call {
  const result = { filePath: path, oldString, newString, originalFile: before, replaceAll: false }
  return { name: 'Edit', input: { file_path: path, old_string: oldString, new_string: newString }, result }
}

export function bash(command: string): Call {
  return { name: 'Bash', input: { command }, result: { stdout: '', stderr: '', interrupted: false } }
}

/** A turn whose answer follows these calls; gives its id. */
export function addToolTurn(session: FakeSession, prompt: string, calls: readonly Call[], at?: number): string {
  const turnId = session.addTurn(prompt, at)
  const lines = session.lines as Line[]
  const last = lines.at(-1)
  const add = (line: Line) => {
    lines.push(line)
    appendFileSync(session.path, `${JSON.stringify(line)}\n`)
  }
  let parentUuid = last?.uuid
  for (const { name, input, result } of calls) {
    const call = { ...last, uuid: randomUUID(), parentUuid }
    const id = `toolu_${randomUUID()}`
    const block = { type: 'tool_use', id, name, input }
    add({ ...call, message: { id: `msg_${id}`, role: 'assistant', model: 'claude-opus-5-5', content: [block] } })
    const answer = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] }
    parentUuid = randomUUID()
    add({ ...call, type: 'user', uuid: parentUuid, parentUuid: call.uuid, message: answer, toolUseResult: result })
  }
  const said = {
    id: `msg_${randomUUID()}`,
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [{ type: 'text', text: 'Done.' }],
  }
  add({ ...last, uuid: randomUUID(), parentUuid, message: { ...said, stop_reason: 'end_turn' } })
  return turnId
}
