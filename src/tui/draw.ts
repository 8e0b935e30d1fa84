// What screens and widgets are made of: pure functions from state to lines. Ink puts the lines on the terminal and nothing else:
// a frame of 200x60 must cost a few milliseconds while an answer streams.

/** What a click on a line means. */
export type Target =
  | { readonly kind: 'row'; readonly index: number }
  | { readonly kind: 'tab'; readonly id: string }
  | { readonly kind: 'message'; readonly id: string }
  | { readonly kind: 'composer' }

export interface Line {
  /** Styled by `Paint`, never wider than its box, free of control characters of others. */
  readonly text: string
  readonly target?: Target
  /** Where a line holds several: columns from (included) to (excluded). */
  readonly parts?: readonly { readonly from: number; readonly to: number; readonly target: Target }[]
}

export function targetAt(line: Line | undefined, column: number): Target | null {
  return line?.parts?.find(({ from, to }) => column >= from && column < to)?.target ?? line?.target ?? null
}

export interface Box {
  readonly columns: number
  readonly rows: number
}

/** Styles by meaning; a theme (dark, light, 16 colours, none) decides what they look like. */
export interface Paint {
  readonly accent: (text: string) => string
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
  readonly error: (text: string) => string
  readonly warn: (text: string) => string
  readonly ok: (text: string) => string
  readonly selected: (text: string) => string
  readonly match: (text: string) => string
  readonly added: (text: string) => string
  readonly removed: (text: string) => string
  readonly code: (text: string) => string
  readonly keyword: (text: string) => string
  readonly string: (text: string) => string
  readonly comment: (text: string) => string
  readonly link: (text: string) => string
  readonly frame: (text: string) => string
}
