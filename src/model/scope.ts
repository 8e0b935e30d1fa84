// What the holder of a token may do. Pure.

/** Each scope includes the ones before it. */
export const scopes = ['read', 'fork', 'run'] as const
export type Scope = (typeof scopes)[number]

export function includesScope(held: Scope, needed: Scope): boolean {
  return scopes.indexOf(held) >= scopes.indexOf(needed)
}
