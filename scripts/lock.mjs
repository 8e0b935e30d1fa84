// One set-up at a time per checkout: a lock file that names the processes working under it. A lock whose processes are all
// dead (a killed install) is taken over; it is linked into place whole, so that nobody ever reads a half-written one.
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 200

/** Runs `work(addPid)` while holding the lock; `addPid` names a child that must end before anyone may take over. */
export async function withLock(path, onWait, work) {
  const mine = `${path}.${process.pid}`
  writeFileSync(mine, `${process.pid}\n`)
  try {
    for (let waited = false; !tryLink(mine, path); waited = true) {
      const holders = readPids(path)
      if (holders.length > 0 && !holders.some(isAlive)) takeAway(path, holders)
      else {
        if (!waited) onWait(holders[0])
        await sleep(pollMs)
      }
    }
  } finally {
    unlinkSync(mine)
  }
  try {
    return await work((pid) => writeWhole(path, mine, `${process.pid}\n${pid}\n`))
  } finally {
    rmSync(path, { force: true })
  }
}

function tryLink(from, to) {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function readPids(path) {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number)
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Another waiter may have taken the dead lock over a moment ago: what we moved aside is put back if it is a live one. */
function takeAway(path, deadPids) {
  const aside = `${path}.dead-${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (error.code === 'ENOENT') return
    throw error
  }
  if (String(readPids(aside)) !== String(deadPids)) tryLink(aside, path)
  unlinkSync(aside)
}

function writeWhole(path, temporary, text) {
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}
