// A script: a list of actions by name, each with a number from which the action takes its choices. Written and read as one line,
// `open tool rewind:2`, so that a failing one can be run again by hand.
import fc from 'fast-check'
import { type ActionName, actions } from './actions.ts'

export interface Step {
  readonly action: ActionName
  readonly pick: number
}

export type Script = readonly Step[]

const names = Object.keys(actions) as ActionName[]
const step = fc.record({
  action: fc.oneof(...names.map((name) => ({ weight: actions[name].weight, arbitrary: fc.constant(name) }))),
  pick: fc.nat({ max: 999 }),
})

/** A third of the steps or so is possible where it stands. */
const scripts = fc.array(step, { minLength: 8, maxLength: 40, size: 'max' })

/** The same seed gives the same script until the table of actions changes. */
export function scriptOf(seed: number): Script {
  const [script = []] = fc.sample(scripts, { seed, numRuns: 1 })
  return script
}

export function formatScript(script: Script): string {
  return script.map(({ action, pick }) => (pick === 0 ? action : `${action}:${pick}`)).join(' ')
}

export function parseScript(text: string): Script {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      const [action = '', pick = '0'] = word.split(':')
      if (!(action in actions)) throw new Error(`there is no action ${action}; there are ${names.join(', ')}`)
      return { action: action as ActionName, pick: Number(pick) }
    })
}
