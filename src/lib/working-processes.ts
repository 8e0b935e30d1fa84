// In which directories processes work: a directory some process stands in is in use, whatever else is known of it.
import { readdir, readlink } from 'node:fs/promises'
import { anyFolder, exec } from './exec.ts'
import { isMissing } from './file-errors.ts'

export interface WorkingProcess {
  readonly pid: number
  readonly cwd: string
}

/** Those of other users, whose directories the system does not tell, are left out. */
export async function listWorkingProcesses(env: Readonly<Record<string, string | undefined>>): Promise<WorkingProcess[]> {
  const names = await readdir('/proc').catch((error: unknown) => {
    if (isMissing(error)) return null // macOS has no /proc
    throw error
  })
  if (names === null) return askLsof(env)
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map(async (name) => ({ pid: Number(name), cwd: await cwdOf(name) })),
  )
  return found.flatMap(({ pid, cwd }) => (cwd === null ? [] : [{ pid, cwd }]))
}

async function cwdOf(pid: string): Promise<string | null> {
  try {
    return await readlink(`/proc/${pid}/cwd`)
  } catch {
    return null // ended meanwhile, or somebody else's
  }
}

/** Lines `p<pid>` and `n<path>`, the second behind the process it belongs to. */
async function askLsof(env: Readonly<Record<string, string | undefined>>): Promise<WorkingProcess[]> {
  const { stdout } = await exec('lsof', ['-w', '-d', 'cwd', '-F', 'pn'], { cwd: anyFolder, env, timeoutMs: 10_000 })
  const found: WorkingProcess[] = []
  let pid = 0
  for (const line of stdout.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1))
    else if (line.startsWith('n/')) found.push({ pid, cwd: line.slice(1) })
  }
  return found
}
