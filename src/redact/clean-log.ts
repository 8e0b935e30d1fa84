// A log without secrets: names, paths and messages of errors may hold one.
import type { Log, LogFields } from '../lib/log.ts'
import { redactKnown } from './redact.ts'

export function cleanLog(log: Log): Log {
  return {
    file: log.file,
    write: (level, event, fields) => log.write(level, redactKnown(event), fields === undefined ? fields : cleanFields(fields)),
  }
}

function cleanFields(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cleanField(value)]))
}

function cleanField(value: LogFields[string]): LogFields[string] {
  if (typeof value === 'string') return redactKnown(value)
  if (!(value instanceof Error)) return value
  const error = new Error(redactKnown(value.message))
  return Object.assign(error, { name: value.name, stack: redactKnown(value.stack ?? '') })
}
