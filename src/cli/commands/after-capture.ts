// `offshoot __after-capture`: what the hook starts and nobody waits for. Faults go to the log: there is nobody to tell.
import { cleanLog } from '../../redact/clean-log.ts'
import type { Context } from '../context.ts'

export async function followCapture(context: Context): Promise<void> {
  const { problems } = await (await context.app()).afterCapture()
  for (const problem of problems) cleanLog(context.log).write('warn', 'after a capture', { problem })
}
