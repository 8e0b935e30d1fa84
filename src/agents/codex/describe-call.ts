// How leave for a tool call is asked for, by the call as the thread's file records it.
import type { PermissionRequest } from '../../model/run.ts'
import { patchText, shellScript, shellTools } from './edits.ts'

const maxSummary = 300

export function describeCall(tool: string, args: unknown): Pick<PermissionRequest, 'kind' | 'summary'> {
  if (shellTools.has(tool)) return { kind: 'command', summary: oneLine(shellScript(args, '/').script) }
  if (tool !== 'apply_patch') return { kind: 'tool', summary: oneLine(`${tool} ${JSON.stringify(args)}`) }
  const files = [...patchText(args).matchAll(/^\*\*\* (Add|Delete|Update) File: (.+)$/gm)]
  return { kind: 'edit', summary: oneLine(files.map(([, verb = '', path]) => `${verb.toLowerCase()} ${path}`).join(', ')) }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxSummary ? `${line.slice(0, maxSummary - 1)}…` : line
}
