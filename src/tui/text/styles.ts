// Which styles are open at a place in a text: what has to be closed at the end of a line, and opened again on the next.

/** Codes by what they change: a later one of a kind takes the place of an earlier one, except weight, where bold and dim add up. */
export interface OpenStyles {
  readonly weight: readonly string[]
  readonly line: string | null
  readonly inverse: string | null
  readonly color: string | null
  readonly ground: string | null
}

export const noStyles: OpenStyles = { weight: [], line: null, inverse: null, color: null, ground: null }

/** One sequence `ESC [ ... m` taken into account. */
export function withStyle(open: OpenStyles, sequence: string): OpenStyles {
  const codes = sequence.slice(2, -1).split(';')
  let next = open
  for (let at = 0; at < codes.length; at += 1) {
    const code = Number(codes[at] || '0')
    if (code === 38 || code === 48) {
      const length = codes[at + 1] === '5' ? 3 : 5
      const whole = codes.slice(at, at + length).join(';')
      next = code === 38 ? { ...next, color: whole } : { ...next, ground: whole }
      at += length - 1
    } else next = withCode(next, code)
  }
  return next
}

function withCode(open: OpenStyles, code: number): OpenStyles {
  if (code === 0) return noStyles
  if (code === 1 || code === 2) return { ...open, weight: [...open.weight.filter((each) => each !== String(code)), String(code)] }
  if (code === 22) return { ...open, weight: [] }
  if (code === 4 || code === 24) return { ...open, line: code === 4 ? '4' : null }
  if (code === 7 || code === 27) return { ...open, inverse: code === 7 ? '7' : null }
  if (code === 39) return { ...open, color: null }
  if (code === 49) return { ...open, ground: null }
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { ...open, color: String(code) }
  return open
}

export function opening({ weight, line, inverse, color, ground }: OpenStyles): string {
  const codes = [...weight, line, inverse, color, ground].filter((code) => code !== null)
  return codes.length === 0 ? '' : `\u001b[${codes.join(';')}m`
}

/** Each by its own end, so that a style around it is opened again behind it (see theme.ts). */
export function closing({ weight, line, inverse, color, ground }: OpenStyles): string {
  const codes = [
    weight.length > 0 ? '22' : '',
    line === null ? '' : '24',
    inverse === null ? '' : '27',
    color === null ? '' : '39',
    ground === null ? '' : '49',
  ]
  return codes.map((code) => (code === '' ? '' : `\u001b[${code}m`)).join('')
}
