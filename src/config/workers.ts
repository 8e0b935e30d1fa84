// What a worker is given where nobody says otherwise, as the settings have it.
import type { PermissionPolicy } from '../model/run.ts'
import type { WorkerSettings } from '../model/worker.ts'
import { readSetting, type Sources } from './read.ts'

export async function readWorkerDefaults(sources: Sources): Promise<WorkerSettings> {
  const [policy, allow, ready, response, history] = await Promise.all([
    readSetting<PermissionPolicy>(sources, 'workers.policy'),
    readSetting<readonly string[]>(sources, 'workers.allow'),
    readSetting<number>(sources, 'workers.ready_timeout'),
    readSetting<number>(sources, 'workers.response_timeout'),
    readSetting<boolean>(sources, 'workers.history'),
  ])
  return {
    model: null,
    env: {},
    mcpConfig: null,
    command: null,
    policy,
    allow,
    readyTimeoutMs: ready * 1000,
    responseTimeoutMs: response * 1000,
    history,
  }
}
