// The process around a command: its signals, its pipe, its exit status.
import { processContext } from './context.ts'
import { runCommand } from './run-command.ts'

export async function main(): Promise<void> {
  const supervisor = process.env.OFFSHOOT_SUPERVISOR === undefined ? null : (await import('./supervised.ts')).endWithSupervisor()
  const context = processContext(supervisor)
  // `offshoot show last | head` closes the pipe early: that is the reader's right, not a fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A terminal that was closed: the signal may come a moment later.
    if (error.code === 'EIO' && context.passSignal('SIGHUP')) return
    context.close()
    process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => {
      if (context.passSignal(signal)) return
      context.close()
      process.exit(status)
    })
  }
  process.exitCode = await runCommand(context, process.argv.slice(2))
}
