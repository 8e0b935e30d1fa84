// What a person notices of the terminal UI, measured on the built program under a real pseudo-terminal: keys while an answer
// streams, opening what is large, what it costs while nothing happens, memory with many tabs.
import { measureKeys } from './tui/key-response.ts'
import { measureOpening } from './tui/opening.ts'
import { measureStanding } from './tui/standing.ts'

export async function run(): Promise<void> {
  await measureKeys()
  await measureOpening()
  await measureStanding()
}
