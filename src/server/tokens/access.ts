// Who asks, and what they may do: the owner everything, the holder of a created token what its scope and projects allow.
import type { GuardedApp, GuardOptions } from '../../guarded-app.ts'
import { AppError } from '../../model/error.ts'
import { includesScope, type Scope } from '../../model/scope.ts'
import type { LiveToken } from './live-tokens.ts'
import { type Need, verbNeeds } from './scope-table.ts'

export interface Access {
  /** `null`: the owner. */
  readonly token: LiveToken | null
  readonly scope: Scope
}

export const ownerAccess: Access = { token: null, scope: 'run' }

export interface Refusing {
  readonly surface: GuardOptions['surface']
  readonly onRefusal: GuardOptions['onRefusal']
  readonly now: () => number
}

/** Throws `scope_needed`, and has it written down without the secret. */
function refuseScope({ token, scope }: Access, what: string, needed: Scope, { surface, onRefusal, now }: Refusing): never {
  const reason = `needs the scope ${needed}, has ${scope}`
  onRefusal({ at: now(), verb: `${what} ${surface}`, subject: `token ${token?.name ?? 'of the owner'}`, reason })
  throw new AppError('scope_needed', `This needs a token with the scope "${needed}"; this one has "${scope}".`, {
    hint: `Create one with \`offshoot token create --scope ${needed}\`.`,
    details: { scope, needed },
  })
}

/** A route or tool that no table names is the owner's alone. */
export function requireNeed(access: Access, what: string, need: Need | undefined, refusing: Refusing, args: unknown = {}): void {
  const given = typeof args === 'object' && args !== null ? { ...args } : {}
  const scope = need?.scopeFor?.(given) ?? need?.scope
  if (!mayCall(access, scope === undefined ? undefined : { scope })) refuseScope(access, what, scope ?? 'run', refusing)
}

export function mayCall({ token, scope }: Access, need: Need | undefined): boolean {
  return token === null || (need !== undefined && includesScope(scope, need.scope))
}

/** The same app, with every verb refused that is above the scope. */
export function limitApp(guarded: GuardedApp, access: Access, refusing: Refusing): GuardedApp {
  const refused = Object.entries(verbNeeds)
    .filter(([, needed]) => !includesScope(access.scope, needed))
    .map(([verb, needed]) => [verb, async () => refuseScope(access, snakeCase(verb), needed, refusing)])
  return { ...guarded, ...Object.fromEntries(refused) }
}

/** As the guard names its verbs in the log. */
function snakeCase(verb: string): string {
  return verb.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
