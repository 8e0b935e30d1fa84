// Where offshoot keeps its own files and where the agents keep theirs. The one place that reads these variables.
import { join, resolve } from 'node:path'

export interface Surroundings {
  /** The person's home folder. */
  readonly home: string
  readonly vars: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

export interface Paths {
  /** `$OFFSHOOT_HOME`: database, logs, archive, config. */
  readonly root: string
  readonly config: string
  readonly logs: string
  readonly claude: string
  readonly codex: string
}

export function resolvePaths({ home, vars, cwd }: Surroundings): Paths {
  // An empty variable counts as unset: `OFFSHOOT_HOME= offshoot` must not put a database into the current folder.
  const folder = (name: string, fallback: string) => resolve(cwd, vars[name] || join(home, fallback))
  // Not from where one stands: a hook runs in any repository, and would make a home of its own in each.
  const root = resolve(
    home,
    (vars.OFFSHOOT_HOME || '.offshoot').replace(/^~(?=\/|$)/, () => home),
  )
  return {
    root,
    config: join(root, 'config.toml'),
    logs: join(root, 'logs'),
    claude: folder('CLAUDE_CONFIG_DIR', '.claude'),
    codex: folder('CODEX_HOME', '.codex'),
  }
}
