// Where nothing can keep a service (a container, WSL without systemd, Alpine, Void): words and an exit status of their own.
import { AppError } from '../model/error.ts'

const otherwise =
  'Run `offshoot serve` in the foreground, in tmux, or from your own init (OpenRC, runit, s6) or container entrypoint.'

export function noManager(why: string, hint = otherwise): AppError {
  return new AppError('no_service_manager', `No user service manager was found: ${why}.`, { hint })
}
