// The two forms an answer of a search may have: what was found (SF3), or why qmd cannot tell and what to do (SF5). One object with
// optional fields, since an output schema must be an object.
import { z } from 'zod'
import { agentType, open, resultShape } from './schemas.ts'

export const searchShape = {
  query: z.string().optional(),
  engine: z.enum(['builtin', 'qmd']).optional(),
  mode: z.string().optional(),
  results: z.array(resultShape).optional(),
  index: z.looseObject({ complete: z.boolean() }).optional(),
  notes: z.array(z.string()).optional(),
  qmd_error: z.string().optional(),
  notice: z.string().optional(),
  error: z.literal('qmd_not_available').optional(),
  message: z.string().optional(),
  next_steps: z.array(z.string()).optional(),
  fallback_sessions: z
    .array(
      z.looseObject({
        session_id: z.string(),
        project_path: z.string().nullable(),
        last_modified: z.string().nullable(),
        agent_type: agentType,
      }),
    )
    .optional(),
}

export const forkShape = {
  forked_session: z
    .looseObject({
      session_name: z.string(),
      session_id: z.string(),
      resume_session_id: z.string(),
      terminal_id: z.string().nullable(),
      workspace: z.string().nullable(),
      branch: z.string().nullable(),
      plan: open,
      proof: open.nullable(),
      pending_prompt: z.string().optional().describe('A prompt that was not sent and waits in no composer'),
    })
    .optional(),
  plan: open.optional().describe('What a fork would do: of a dry run, or where a yes is needed first'),
  confirm: z
    .array(z.string())
    .optional()
    .describe('Warnings the user has to accept: call fork_session with the id of the plan as `plan_id` and these in `accept`'),
  next: z.string().optional().describe('What to do now'),
}
