// Random values that look like the secrets of issuers and people.
import { createHash } from 'node:crypto'

export type Make = (random: Random) => string

const upperCase = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lowerCase = upperCase.toLowerCase()
const digits = '0123456789'

export type Random = ReturnType<typeof createRandom>

export function createRandom(seed: string) {
  let count = 0
  const number = (below: number): number => {
    count += 1
    return createHash('sha256').update(`${seed} ${count}`).digest().readUInt32BE(0) % below
  }
  const from = (alphabet: string) => (length: number) => Array.from({ length }, () => alphabet[number(alphabet.length)]).join('')
  const alnum = from(upperCase + lowerCase + digits)
  const hex = from('0123456789abcdef')
  /** With a digit and a letter at least, as all but one in a million tokens have. */
  const mixed = (make: (length: number) => string) => (length: number) => `${make(length - 2)}k7`
  return {
    number,
    hex: (length: number) => `${hex(length - 2)}a7`,
    alnum: mixed(alnum),
    /** Whatever comes: one in fifty of 24 characters has no digit. */
    raw: alnum,
    /** As password managers make them, with what code and names have too. */
    manager: (length: number) => `${alnum(length - 6)}${from('.-_')(1)}${alnum(3)}k7`,
    url: mixed(from(`${upperCase}${lowerCase}${digits}_-`)),
    base64: mixed(from(`${upperCase}${lowerCase}${digits}+/`)),
    upper: (length: number) => `${from(upperCase + digits)(length - 2)}K7`,
    base32: from(`${upperCase}234567`),
    lower: mixed(from(lowerCase + digits)),
    letters: from(upperCase + lowerCase),
    words: from(lowerCase),
    digits: (length: number) => `${1 + number(9)}${from(digits)(length - 1)}`,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    /** As people choose them. */
    weak: () => `${from(lowerCase)(6)}${1 + number(9)}`,
    strong: () => `${from(upperCase)(1)}${from(lowerCase)(4)}!${from(digits)(2)}${from(lowerCase)(3)}`,
    /** Short parts with signs that join names, a digit or two in one of them. */
    knit: () =>
      `${from(upperCase + lowerCase)(3)}${from('_+-%')(1)}${from('vVkX')(1)}${from(digits)(2)}${from('_+-%')(1)}${from(upperCase + lowerCase)(3)}`,
    plain: () => from(lowerCase)(9),
    pair: () => Buffer.from(`${from(lowerCase)(5)}:${from(lowerCase)(7)}`).toString('base64'),
    json: () => Buffer.from(JSON.stringify({ sub: alnum(12) })).toString('base64url'),
  }
}
