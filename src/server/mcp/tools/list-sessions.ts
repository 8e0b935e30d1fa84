// `list_sessions`: what there is, newest first, by pages.
import { z } from 'zod'
import { parameters } from '../../parameters.ts'
import { isCaller, scopeOf } from '../caller.ts'
import { readOffset } from '../paging.ts'
import { toSession } from '../render.ts'
import { untrustedNotice } from '../safe-text.ts'
import { agentType, cursor, next, notice, projectPath, sessionShape } from '../schemas.ts'
import { fitRows } from '../size.ts'
import { defineTool, reading } from '../tool.ts'

export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List past sessions',
  description: 'Lists the sessions of this repository, newest first. `is_caller` marks the session that is calling.',
  input: parameters({
    agent_type: agentType.optional().describe('Only this agent; default: both'),
    project_path: projectPath,
    limit: z.number().int().min(1).max(50).default(20),
    cursor,
  }),
  output: z.looseObject({ sessions: z.array(sessionShape), next, notice }),
  annotations: reading,
  async run(args, call) {
    const caller = await call.caller()
    const offset = readOffset(args.cursor)
    const sessions = await call.guarded.listSessions({
      projectPath: await scopeOf(call.guarded, caller, args.project_path),
      limit: args.limit + 1,
      offset,
      ...(args.agent_type === undefined ? {} : { agent: args.agent_type }),
    })
    const rows = await Promise.all(
      sessions.slice(0, args.limit).map(async (session) => ({
        ...(await toSession(session, call.redactor)),
        ...(isCaller(caller, session) ? { is_caller: true } : {}),
      })),
    )
    const shown = fitRows(rows)
    const more = shown.length < sessions.length ? { next: String(offset + shown.length) } : {}
    return { structured: { sessions: shown, ...more, notice: untrustedNotice }, text: `${shown.length} sessions.` }
  },
})
