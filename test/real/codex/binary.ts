// Finds the native Codex binary. The npm wrapper is avoided: on Node 20 it spawns a child, so killing its pid would leave the
// real process running.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CodexVersion } from '../lib/agents.ts'

const modules = join(dirname(fileURLToPath(import.meta.url)), '..', 'agents', 'node_modules')

const targets: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

/** npm hoists the platform package of one version and nests that of the other, so the version inside decides. */
export function codexBinary(version: CodexVersion): string {
  const platform = `${process.platform}-${process.arch}`
  const target = targets[platform]
  if (target === undefined) throw new Error(`no Codex binary is known for ${platform}`)
  const folders = [join(modules, `codex-${version}`, 'node_modules', '@openai'), join(modules, '@openai')]
  for (const folder of folders.map((parent) => join(parent, `codex-${platform}`))) {
    const manifest = join(folder, 'package.json')
    if (!existsSync(manifest)) continue
    const { version: found } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    if (found.startsWith(`${version}-`)) return join(folder, 'vendor', target, 'bin', 'codex')
  }
  throw new Error(`Codex ${version} is not installed: run npm ci in test/real/agents`)
}
