// Compiles the shim. Linux with a C compiler has it; elsewhere the tests that need it are left out, and say so.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `null` where it cannot be made. */
export const shim = compile()

function compile(): string | null {
  const path = join(mkdtempSync(join(tmpdir(), 'offshoot-shim-')), 'shim.so')
  const args = ['-shared', '-fPIC', '-O1', '-o', path, join(import.meta.dirname, 'shim.c'), '-ldl']
  const { status, error, stderr } = process.platform === 'linux' ? spawnSync('cc', args, { encoding: 'utf8' }) : onlyLinux
  if (status === 0) return path
  console.log(`No file system call is made to fail here: the shim cannot be compiled (${error?.message ?? stderr}). Install gcc.`)
  return null
}

const onlyLinux = { status: 1, error: undefined, stderr: 'LD_PRELOAD needs Linux' }

/** `KILL`: the process that makes the call is killed instead. */
export const errnos = ['ENOSPC', 'EACCES', 'EMFILE', 'EIO', 'KILL'] as const
export type Errno = (typeof errnos)[number]

export interface Fault {
  readonly errno: Errno
  /** The number of the call; 0: none fails, all are counted. */
  readonly at: number
  /** All later calls fail too, as on a disk that stays full. */
  readonly sticky?: boolean
}

/** The variables that arm it for calls below `roots`; its own files are in `aside`. */
export function armShim(
  path: string,
  { errno, at, sticky = false }: Fault,
  roots: string,
  aside: string,
): Record<string, string> {
  const [state, log] = [join(aside, 'shim-state'), join(aside, 'shim-log')]
  writeFileSync(state, Buffer.alloc(16))
  writeFileSync(log, '')
  return {
    LD_PRELOAD: path,
    FAULT_ROOTS: roots,
    FAULT_STATE: state,
    FAULT_LOG: log,
    FAULT_ERRNO: errno,
    FAULT_AT: String(at),
    FAULT_STICKY: sticky ? '1' : '0',
  }
}
