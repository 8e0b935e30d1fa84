// The shape `fork --json` answers with, as far as the tests look at it.

export interface ForkJson {
  readonly session: { readonly id: string } | null
  readonly fork: {
    readonly id: string
    readonly session_id: string
    readonly file: string
    readonly workspace: { readonly path: string; readonly branch: string } | null
    readonly command: { readonly argv: readonly string[]; readonly cwd: string }
    readonly pending_prompt?: string
  }
  readonly plan: Readonly<Record<string, unknown>>
  readonly proof: Readonly<Record<string, unknown>>
}
