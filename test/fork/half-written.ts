// An agent whose process dies while it writes a session: the file beside the target is there, its name is not.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'

export function halfWritten(agent: Agent): Agent {
  return {
    ...agent,
    writePrefix: (source, env, cut, target) =>
      agent.writePrefix(source, env, cut, {
        ...target,
        onCreate(path) {
          target.onCreate?.(path)
          if (!path.endsWith('.part')) return
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, '{"half')
          process.kill(process.pid, 'SIGKILL')
        },
      }),
  }
}
