// The audit log: what the guard refused, as JSON lines in `$OFFSHOOT_HOME/logs/refusals.log`. Names and reasons only, never text of
// a session, and without secrets; it is cut and rotated like any log of ours, so that nobody fills the disk by asking.

import type { Refusal } from '../guarded-app.ts'
import { createLog } from '../lib/log.ts'
import { cleanLog } from '../redact/clean-log.ts'

export function createRefusalLog(options: { readonly folder: string; readonly now: () => number }) {
  const log = cleanLog(createLog({ ...options, name: 'refusals' }))
  return ({ verb, subject, reason }: Refusal): void => log.write('warn', 'refused', { verb, subject, reason })
}
