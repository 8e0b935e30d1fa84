// Takes secrets out of what the catalogue keeps of a session: titles, prompts, names of branches, and the agent's notes for reading on. The database
// is a copy like any other; the agent's own file is not touched.
import type { SessionSummary } from '../agents/reading.ts'
import { titleOfPrompt } from '../lib/prompt-title.ts'
import type { Turn } from '../model/session.ts'
import { isClean, type Redactor } from '../redact/redact.ts'

export async function cleanSummary({ redact }: Redactor, summary: SessionSummary): Promise<SessionSummary> {
  const turns = await cleanTurns(redact, summary.turns)
  const deadTurns = await cleanTurns(redact, summary.deadTurns)
  return {
    ...summary,
    turns,
    deadTurns,
    title: await cleanTitle(redact, summary, turns),
    // Only shown: git is asked for the branch itself where something depends on it.
    branch: summary.branch === null ? null : await redact(summary.branch),
    broken: summary.broken === null ? null : await redact(summary.broken),
    resume: isCleanValue(summary.resume) ? summary.resume : await cleanValue(redact, summary.resume),
  }
}

type Redact = Redactor['redact']

/** The same array where nothing was found, which is nearly always. */
async function cleanTurns(redact: Redact, turns: readonly Turn[]): Promise<readonly Turn[]> {
  // Waiting for each of a hundred thousand prompts would take longer than looking at them.
  if (turns.every(({ prompt }) => isClean(prompt))) return turns
  let clean: Turn[] | undefined
  for (const [at, turn] of turns.entries()) {
    const prompt = await redact(turn.prompt)
    if (prompt === turn.prompt) continue
    clean ??= [...turns]
    clean[at] = { ...turn, prompt }
  }
  return clean ?? turns
}

/** A title cut from a prompt may end in half a secret, which no rule knows: then it is made again from the clean prompt. */
async function cleanTitle(redact: Redact, before: SessionSummary, turns: readonly Turn[]): Promise<string> {
  const first = before.turns.findIndex(({ prompt }) => prompt.trim() !== '')
  const [raw, clean] = [before.turns[first]?.prompt ?? '', turns[first]?.prompt ?? '']
  if (before.titleFrom !== 'prompt' || raw === clean) return redact(before.title)
  return titleOfPrompt(clean)
}

function isCleanValue(value: unknown): boolean {
  if (typeof value === 'string') return isClean(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isCleanValue)
}

/** Strings anywhere inside; the same value where nothing was found. */
async function cleanValue(redact: Redact, value: unknown): Promise<unknown> {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  let changed = false
  const entries: [string, unknown][] = []
  for (const [name, field] of Object.entries(value)) {
    // Numbers are most of it, and awaiting each would cost more than looking.
    const clean = typeof field === 'string' || typeof field === 'object' ? await cleanValue(redact, field) : field
    changed ||= clean !== field
    entries.push([name, clean])
  }
  if (!changed) return value
  return Array.isArray(value) ? entries.map(([, field]) => field) : Object.fromEntries(entries)
}
