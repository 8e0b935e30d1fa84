// The flag that carries a policy. `default` asks for everything that needs leave; 2.1.325 lists it as `manual` and takes both, 2.1.197 only this.
import type { PermissionPolicy } from '../../model/run.ts'
import type { RunPolicy } from '../runs.ts'

export type PermissionModes = Readonly<Record<PermissionPolicy, 'default' | 'acceptEdits' | 'dontAsk'>>

export function modeFlags(policy: RunPolicy, modes: PermissionModes): string[] {
  return policy === 'own' ? [] : [`--permission-mode=${modes[policy]}`]
}
