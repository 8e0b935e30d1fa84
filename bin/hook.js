#!/usr/bin/env node
// What agents' hooks run: `hook.js <agent>`, the payload on stdin (from a notification: as the last argument). Never prints,
// always ends with 0. Plain JavaScript that old Node versions can parse; nothing is loaded for our own processes.
import { spawn } from 'node:child_process'
import * as module from 'node:module'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
const leave = () => process.exit(0)

if (process.env.OFFSHOOT_INTERNAL || major < 20 || (major === 20 && minor < 19)) leave()

// Warnings of Node's own would go to stderr, which some agents show.
process.removeAllListeners('warning')
process.on('uncaughtException', leave)
process.on('unhandledRejection', leave)
if (module.enableCompileCache) module.enableCompileCache()

const options = {
  args: process.argv.slice(2),
  vars: process.env,
  home: homedir(),
  cwd: currentFolder(),
  now: Date.now,
  stdin: () => process.stdin,
  followUp,
}
import('../dist/bundle/hook/hook.js').then((hook) => hook.runHook(options)).then(leave, leave)

/** The agent may have removed it under us. */
function currentFolder() {
  try {
    return process.cwd()
  } catch {
    return '/' // nothing of ours is looked up from here
  }
}

/** Takes the capture into the database, archives, packs and pushes: in a process of its own, which nobody waits for. */
function followUp() {
  const offshoot = fileURLToPath(new URL('./offshoot.js', import.meta.url))
  const env = { ...process.env, OFFSHOOT_INTERNAL: '1' }
  const child = spawn(process.execPath, [offshoot, '__after-capture'], { cwd: '/', env, detached: true, stdio: 'ignore' })
  child.on('error', leave)
  child.unref()
}
