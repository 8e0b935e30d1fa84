// Where the real agent CLIs are: pinned in test/real/agents, one npm alias per version.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const claudeVersions = ['2.1.197', '2.1.325'] as const
export type ClaudeVersion = (typeof claudeVersions)[number]

export const codexVersions = ['0.142.0', '0.166.0'] as const
export type CodexVersion = (typeof codexVersions)[number]

/** The native binary: the npm package's postinstall links it over `bin/claude.exe` on every platform. */
export function claudeCommand(version: ClaudeVersion): string[] {
  return [installed(`claude-${version}/bin/claude.exe`)]
}

function installed(path: string): string {
  const file = fileURLToPath(new URL(`../agents/node_modules/${path}`, import.meta.url))
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm ci in test/real/agents (npm test does it)`)
  return file
}
