// What the server does on the side, in words, for `offshoot index --status`.
import type { BackgroundStatus, PipelineStatus } from '../../model/background.ts'

export function describeBackground({ state, problem, index, qmd }: BackgroundStatus): string[] {
  if (state === 'down') return [`The server's background process ended and is started again: ${problem ?? 'nobody knows why'}`]
  return [...describePipeline('The server keeps the index', index), ...describePipeline("The server keeps qmd's index", qmd)]
}

function describePipeline(what: string, { state, problem, fix, progress, nextAt }: PipelineStatus): string[] {
  if (state === 'off' && problem === null) return []
  const doing = progress === null ? '' : ` (${progress.step} ${progress.done} of ${progress.total})`
  const next = nextAt === null || state === 'running' ? '' : `, next at ${new Date(nextAt).toISOString()}`
  const wrong = problem === null ? '' : `; ${problem}${fix === null ? '' : `: ${fix}`}`
  return [`${what}: ${state}${doing}${next}${wrong}`]
}
