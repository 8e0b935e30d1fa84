import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { GuardedApp } from '../../guarded-app.ts'
import { createGuards } from './guards.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('all requests of a token share one guard, and it goes with the token', async () => {
  const made: (readonly string[])[] = []
  const guardOf = createGuards((projects) => {
    made.push([...projects])
    return {} as GuardedApp
  })
  const own = guardOf([])
  expect(guardOf([])).toBe(own)
  let projects: string[] | null = ['/a']
  const narrowed = new WeakRef(guardOf(projects))
  expect(guardOf(projects) === narrowed.deref()).toBe(true) // nothing but the guards may keep it
  expect(made).toEqual([[], ['/a']])
  projects = null // as when the token is revoked
  await expect
    .poll(() => {
      collectGarbage()
      return narrowed.deref() === undefined
    })
    .toBe(true)
})
