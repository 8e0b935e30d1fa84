// The turn that runs: its prompt, what has been said so far, the calls with the end of their output.
import { cleanLine, cleanText } from '../../lib/text/clean.ts'
import { wrapText } from '../../lib/text/wrap.ts'
import type { Line, Paint } from '../draw.ts'
import type { Run } from '../state.ts'
import { briefArguments } from '../text/layout.ts'
import { renderMarkdown } from '../text/markdown.ts'
import { clipStyled } from '../text/wrap-styled.ts'
import { spin } from './tabs.ts'

const outputRows = 6
/** Of an answer that is still coming: older lines are in sight no more, and laying them out again and again would cost. */
const streamedCharacters = 20_000

export function drawRun(run: Run, columns: number, now: number, paint: Paint): readonly Line[] {
  if (run.state === 'idle') return run.outcome === 'interrupted' ? [{ text: paint.warn('  Stopped.') }, { text: '' }] : []
  const prompt = wrapText(cleanText(run.prompt ?? ''), columns - 2).map(
    (line, at) => `${paint.accent(at === 0 ? '❯ ' : '  ')}${paint.bold(line)}`,
  )
  const calls = run.calls.flatMap(({ tool, arguments: given, output }) => {
    const head = clipStyled(
      `${paint.dim('▸')} ${paint.bold(cleanLine(tool))} ${paint.dim(cleanLine(briefArguments(given)))}`,
      columns,
    )
    const end = cleanText(output).trimEnd().split('\n').slice(-outputRows)
    return [head, ...(output === '' ? [] : end.map((line) => clipStyled(paint.dim(`    ${line}`), columns)))]
  })
  const thinking = run.thinking === '' ? [] : [clipStyled(paint.dim(`  ${cleanLine(run.thinking.slice(-columns * 2))}`), columns)]
  const text =
    run.text === ''
      ? []
      : renderMarkdown(cleanText(run.text.slice(-streamedCharacters)), columns - 2, paint).map((line) => `  ${line}`)
  const seconds = run.startedAt === null ? 0 : Math.max(0, Math.floor((now - run.startedAt) / 1000))
  const state = { sending: 'sending', running: 'working', waiting: 'waiting for your answer', interrupting: 'stopping' }[
    run.state
  ]
  return [...prompt, '', ...calls, ...thinking, ...text, `${paint.accent(spin(now))} ${paint.dim(`${state} ${seconds}s`)}`].map(
    (line) => ({ text: line }),
  )
}
