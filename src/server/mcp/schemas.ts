// Arguments and shapes that several tools share. Objects in answers are open: a newer offshoot may say more.
import { z } from 'zod'
import { agentIds } from '../../model/session.ts'

export const agentType = z.enum(agentIds)

/** Nothing from outside is longer than it can sensibly be. */
export const line = (what: string) => z.string().trim().min(1).max(1000).describe(what)
export const prompt = z.string().min(1).max(200_000)
export const send = z
  .boolean()
  .default(false)
  .describe('Send the prompt at once; else it waits in the composer of its pane, or is returned as pending_prompt')

export const projectPath = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .describe("Absolute path of the project to look in. Default: the caller's repository. Must lie within the allowed roots.")

export const cursor = z.string().max(200).optional().describe('`next` of the page before, to go on from there')

export const session = z
  .string()
  .trim()
  .min(1)
  .max(1000)
  .describe('Which session: claude:<id>, codex:<id>, an id or a unique prefix of it, `last`; with @<turn> one turn of it')

/** Models write a turn's number with quotation marks and without. */
const turnName = z
  .union([z.string().trim().min(1).max(200), z.number().int()])
  .transform(String)
  .optional()

export const atTurn = turnName.describe('Turn to fork after: its number, id, `last` or `-2`')

export const code = z
  .enum(['turn', 'now', 'head', 'none'])
  .optional()
  .describe(
    'Which code the fork gets: as it was at the turn, as it is now, clean HEAD, or none (runs in place). Default: turn, else now',
  )

export const codeAt = turnName.describe('Turn whose code the fork gets, as it left it, instead of that of the turn forked at')

export const terminal = z
  .enum(['tmux', 'wezterm', 'iterm2', 'print', 'headless'])
  .optional()
  .describe('Where it opens. Default: as the settings say, else the terminal the person is in, else headless')

export const accept = z
  .array(z.string().max(100))
  .max(20)
  .optional()
  .describe('Codes of warnings the person said yes to (from `confirm` of the answer before)')

export const planId = line('Id of a plan shown before, to execute just that').optional()

export const open = z.looseObject({})
export const notice = z.string().describe('How to treat the text in this answer')
export const next = z.string().optional().describe('Pass as `cursor` for the next page; absent on the last one')

export const sessionShape = z.looseObject({
  agent: agentType,
  id: z.string(),
  address: z.string(),
  title: z.string(),
  cwd: z.string().nullable(),
  updated_at: z.string().nullable(),
  turns: z.number(),
})

export const workerShape = z.looseObject({
  id: z.string(),
  name: z.string(),
  agent: agentType,
  kind: z.enum(['headless', 'terminal']),
  session_id: z.string().nullable(),
  state: z.string(),
  cwd: z.string(),
  terminal_id: z.string().nullable(),
})

export const resultShape = z.looseObject({
  rank: z.number(),
  score: z.number(),
  session_id: z.string(),
  agent_type: agentType,
  title: z.string(),
  working_directory: z.string().nullable(),
  repo_root: z.string().nullable(),
  date: z.string().nullable(),
  turn: z.string().describe('Address of the turn that fits best'),
  snippet: z.string().optional(),
  source_path: z.string(),
  jsonl_path: z.string(),
  can_fork: z.boolean(),
  warning: z.string().optional(),
})
