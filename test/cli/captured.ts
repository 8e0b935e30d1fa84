// The fixture of the other commands plus a session with captured turns, made by running the hook program.
import { playCapturedSession, sampleTurns } from '../../src/cli/demo/captured-session.ts'
import { followUpsEnded } from '../capture/follow-ups.ts'
import { removeFolder } from '../setup/remove-folder.ts'
import { createFixture, type Fixture } from './run-cli.ts'

export const captured = 'claude:4be17d5c'

export interface CapturedFixture extends Omit<Fixture, 'remove'> {
  remove(): Promise<void>
}

export async function createCapturedFixture(): Promise<CapturedFixture> {
  const home = await createFixture()
  await playCapturedSession(home, sampleTurns, { now: Date.now })
  return {
    ...home,
    async remove() {
      await followUpsEnded(home.vars.OFFSHOOT_HOME ?? '')
      home.remove()
      removeFolder(home.home)
    },
  }
}
