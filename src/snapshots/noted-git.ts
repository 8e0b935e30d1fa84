// A git whose processes are noted while they run, for work that the next command takes back when offshoot is killed.
import { noteChild } from '../lib/left-children.ts'
import type { Git } from './git.ts'

/** `folder`: offshoot's own, where the notes are. */
export function notedGit(git: Git, folder: string): Git {
  return async (args, call) => {
    let forget: () => void = () => undefined
    try {
      return await git(args, {
        ...call,
        onStarted(pid) {
          forget = noteChild(folder, pid)
        },
      })
    } finally {
      forget()
    }
  }
}
