// Changing an agent's settings is loaded by who does it: no listing pays for the TOML and JSON editing.
import type { AgentHooks } from './hooks.ts'

export function lazyHooks(load: () => Promise<AgentHooks>): AgentHooks {
  return {
    install: async (...args) => (await load()).install(...args),
    uninstall: async (...args) => (await load()).uninstall(...args),
    status: async (...args) => (await load()).status(...args),
    forRun: async (...args) => (await load()).forRun(...args),
  }
}
