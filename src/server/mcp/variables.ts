// Variables a caller may set for a worker: not those that decide which programs run, or that are offshoot's own.
import { AppError } from '../../model/error.ts'

const refused =
  /^(?:PATH|HOME|SHELL|IFS|ENV|BASH_ENV|ZDOTDIR|PROMPT_COMMAND|NODE_OPTIONS|NODE_PATH|EDITOR|VISUAL|PAGER)$|^(?:LD|DYLD|GIT|SSH|OFFSHOOT|BASH_FUNC)_/

export function checkVariables(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new AppError('usage', `"${name}" is no name of a variable.`)
    if (value.includes('\0')) throw new AppError('usage', `The value of ${name} holds a NUL.`)
    if (refused.test(name)) {
      throw new AppError('refused', `${name} may not be set from outside: it decides which programs run.`, {
        hint: 'Leave it out; the worker has the environment offshoot runs in.',
      })
    }
  }
}
