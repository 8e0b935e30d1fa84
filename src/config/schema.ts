// The config file as a zod schema, made from the table of settings: for `config set` and `doctor`, which must name every
// fault and every unknown key. Never imported on the hot path (zod costs about 40 ms).
import { z } from 'zod'
import { faultOfModel } from './models.ts'
import type { ConfigTable } from './read.ts'
import { faultOfRepository } from './repositories.ts'
import { faultOf, type Setting, settings } from './settings.ts'

export interface ConfigFault {
  readonly key: string
  readonly problem: string
}

function configSchema() {
  const tables = new Map<string, Record<string, z.ZodType>>()
  for (const setting of settings) {
    const [table = '', name = ''] = splitKey(setting.key)
    tables.set(table, { ...tables.get(table), [name]: settingSchema(setting).optional() })
  }
  const known = Object.fromEntries([...tables].map(([name, shape]) => [name, z.strictObject(shape).optional()]))
  return z.strictObject({
    ...known,
    models: z.record(z.string(), modelSchema()).optional(),
    repositories: repositoriesSchema().optional(),
  })
}

function modelSchema(): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    const fault = faultOfModel(value)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })
}

function repositoriesSchema(): z.ZodType {
  return z.record(z.string(), z.unknown()).superRefine((value, context) => {
    for (const [path, setting] of Object.entries(value)) {
      const fault = faultOfRepository(path, setting)
      if (fault !== null) context.addIssue({ code: 'custom', path: [path], message: fault })
    }
  })
}

function settingSchema(setting: Setting): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    const fault = faultOf(setting, value)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })
}

/** Every fault of a parsed config file; an empty list means it can be used as it is. */
export function findFaults(table: ConfigTable): readonly ConfigFault[] {
  const parsed = configSchema().safeParse(table)
  if (parsed.success) return []
  return parsed.error.issues.flatMap((issue) => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys') return [{ key: path.join('.'), problem: issue.message }]
    return issue.keys.map((key) => ({ key: [...path, key].join('.'), problem: 'is not a setting' }))
  })
}

function splitKey(key: string): [string, string] {
  const dot = key.indexOf('.')
  return [key.slice(0, dot), key.slice(dot + 1)]
}
