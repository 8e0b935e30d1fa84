// `offshoot __after-capture`: what the hook starts and nobody waits for. Faults go to the log: there is nobody to tell.
import type { Context } from '../context.ts'

export async function followCapture(context: Context): Promise<void> {
  const { problems } = await (await context.app()).afterCapture()
  for (const problem of problems) context.log.write('warn', 'after a capture', { problem })
}
