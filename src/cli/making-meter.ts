// The set-up command of a workspace while it runs. By itself, because `sessions` must not load what measures the width of a line.
import { cleanLine } from '../lib/clean-text.ts'
import { cutToWidth } from '../lib/text/width.ts'
import type { MakingProgress } from '../model/fork.ts'
import type { Context } from './context.ts'
import { createMeter } from './meter.ts'

/** For how long the command has been running, and its last line. */
export async function makeWithMeter<T>(
  context: Context,
  work: (onProgress: (progress: MakingProgress) => void) => Promise<T>,
): Promise<T> {
  const meter = createMeter(context)
  try {
    return await work(({ command, seconds, line }) =>
      meter.show(() =>
        cutToWidth(`Setting up (${command}), ${Math.round(seconds)} s: ${cleanLine(line)}`, context.out.columns - 1),
      ),
    )
  } finally {
    meter.clear()
  }
}
