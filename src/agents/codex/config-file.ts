// config.toml of Codex: people write comments into it and Codex writes into it too, so it is read here and changed only by text.
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { editFile } from '../../lib/edit-file.ts'
import { AppError } from '../../model/error.ts'
import type { AgentEnv } from '../agent-env.ts'
import { codexHome } from './rollout-files.ts'

/** In a file that was not there before: without anything else in it, it goes again. */
const madeHere = '# Made by offshoot for its hooks.\n'

export function configFile(env: AgentEnv): string {
  return join(codexHome(env), 'config.toml')
}

export function parseConfig(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    throw new AppError('bad_config', `${file} is not TOML: ${(error as Error).message.split('\n')[0]}`, {
      hint: 'Codex does not read it either. Mend the file, then try again.',
      cause: error,
    })
  }
}

/** True when it was changed. */
export function editConfig(file: string, change: (text: string) => string): Promise<boolean> {
  return editFile(file, (text) => {
    const before = text ?? madeHere
    const after = change(before)
    return after === madeHere ? null : after === before ? text : after
  })
}
