// Ctrl+Z and `fg`: the shell gets its terminal back as it was, and when we go on everything is drawn anew. Also where somebody else
// stopped us (`kill -STOP`): the shell has set the terminal for itself meanwhile.
import type { Screen } from './terminal.ts'

export interface JobControl {
  suspend(): void
  close(): void
}

/** Where no shell is there to come back to, the system does not stop us: then we go on after this. */
const notStoppedMs = 100

export function followJobControl(screen: Screen, redraw: () => void): JobControl {
  let takeBack: (() => void) | null = null
  let timer: NodeJS.Timeout | null = null
  const goOn = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    // Another program that was lent the terminal goes on by itself.
    const back = takeBack ?? (screen.isOpen ? screen.lend() : null)
    takeBack = null
    if (back === null) return
    back()
    // While we were stopped nobody told us of a new size: Node looks for itself when it is told now.
    process.kill(process.pid, 'SIGWINCH')
    redraw()
  }
  process.on('SIGCONT', goOn)
  return {
    suspend() {
      if (takeBack !== null || !screen.isOpen) return
      takeBack = screen.lend()
      timer = setTimeout(goOn, notStoppedMs)
      // All of the job, as the terminal would: whoever started us waits with us.
      process.kill(0, 'SIGTSTP')
    },
    close() {
      if (timer !== null) clearTimeout(timer)
      process.off('SIGCONT', goOn)
    },
  }
}
