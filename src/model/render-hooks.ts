// Hooks as every face shows them: snake_case, the same shape everywhere.
import type { HookOutcome, HookStatus } from './capture.ts'
import { renderError } from './render.ts'

export function renderHookStatus({ agent, scope, file, state, way, message }: HookStatus) {
  return { agent, scope, file, state, way, message }
}

export function renderHookOutcome({ status, changed, files, notes, error }: HookOutcome) {
  return { ...renderHookStatus(status), changed, files, notes, ...(error === null ? {} : renderError(error)) }
}
