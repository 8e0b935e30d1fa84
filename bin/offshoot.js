#!/usr/bin/env node
// Checks the Node version before anything native is loaded, answers --version without loading anything, then hands over. Servers run in
// a child of this process (src/cli/supervise.ts).
// Plain JavaScript that old Node versions can parse: they must get the message below, not a syntax error.
import { readFileSync } from 'node:fs'
import * as module from 'node:module'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
const first = process.argv[2]

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: offshoot needs Node 20.19 or newer, this is ${process.versions.node} (${process.execPath})\n` +
      'hint: install a newer Node from https://nodejs.org, then run offshoot again\n',
  )
  process.exitCode = 1
} else if (process.argv.length === 3 && (first === '--version' || first === '-V')) {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  process.stdout.write(`${manifest.version}\n`)
} else {
  if (module.enableCompileCache) module.enableCompileCache()
  const isServer = (first === 'serve' || first === 'mcp') && process.env.OFFSHOOT_SUPERVISOR === undefined
  const loaded = isServer ? import('../dist/cli/supervise.js') : import('../dist/bundle/cli/cli.js')
  loaded.then(
    (cli) => (isServer ? cli.supervise(fileURLToPath(import.meta.url), process.argv.slice(2)) : cli.main()),
    (error) => {
      process.stderr.write(`error: offshoot could not start: ${String(error)}\n`)
      process.stderr.write('hint: the installation is incomplete; reinstall it, or run `npm run build` in a checkout\n')
      process.exitCode = 1
    },
  )
}
