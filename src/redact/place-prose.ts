// Secrets that people tell each other: in a sentence, a table, a list, or behind a name in a line of its own.
import { lineEnd, lineStart, newLine, pattern } from './patterns.ts'
import { fieldName, fieldSigns, tokenName } from './place-fields.ts'
import type { Rule } from './scan.ts'
import { looksIssued, looksRandom, looksTold } from './values.ts'

const value = '[^\\s"\'`<>|(){}\\[\\]$\\\\,;]{8,200}'

/** `the password is x`, `**Password:** x`, `| password | x |`. */
const told = pattern(
  `(?<before>(?:(?:[ \\t](?:for|of)(?:[ \\t][\\w.@-]{1,40}){1,3}?)?[ \\t](?:is|was|lautet|ist|war|est|es|to)(?:[ \\t](?:now|jetzt|still|set to))?:?[ \\t]{1,2}["'\`*]{0,2}|[ \\t](?:\\([\\w.@ -]{1,40}\\)|for(?:[ \\t]["'\`]?[\\w.@:/-]{1,80}["'\`]?){1,3}):[ \\t]{1,4}["'\`]?|(?<=(?:use|using|with)[ \\t](?:(?:the|this|my)[ \\t])?\\w{1,20})[ \\t]["'\`]?|:<\\/(?:strong|b|em)>[ \\t]{1,4}|:\\*\\*[ \\t]{1,4}["'\`]?|\\*\\*:[ \\t]{1,4}["'\`]?|[\`*]{0,2}[ \\t]{0,40}\\|[ \\t]{0,40}\`?(?=[^\\s|]{8,200}[ \\t]{0,40}\\|)))${value}`,
  'i',
)

/** A cell of the column `columns` further on, below a heading that says secret. */
const cellBelow = (columns: number): string =>
  `(?<=\\|(?:[^|\\n]{0,100}\\|){${columns}}[ \\t]{0,40}[\`*]{0,2}(?:[\\w-]{1,20}[ _]){0,2}(?:password|passwd|passwort|passphrase|secret|api[ _]key|token)[\`*]{0,2}[ \\t]{0,40}\\|[^\\n]{0,300}\\r?\\n\\|[ :|-]{2,300}\\r?(?:\\n\\|[^\\n]{0,400}){0,30})\\n\\|(?:[^|\\n]{0,100}\\|){${columns}}`
const table = pattern(
  `(?<before>(?:${[0, 1, 2, 3, 4].map(cellBelow).join('|')})[ \\t]{0,40}\`?)${value}(?=\`?[ \\t]{0,40}\\|)`,
  'i',
)

const bullet = '[ \\t]{0,8}(?:[-*•]|\\d{1,2}[.)])?[ \\t]{0,2}`?'
/** Of letters alone only where nothing else is in the line. */
const code =
  '(?:(?=[a-z-]{0,16}\\d)(?:[a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){1,3}|[a-z0-9]{8,16}|\\d{4} \\d{4})|[a-z]{8,16}(?=[ \\t]{0,3}(?:\\r?\\n|$)))`?(?![\\w-])'

export const prose: readonly Rule[] = [
  { kind: 'secret', signs: fieldSigns, name: fieldName, pattern: told, accept: looksTold },
  { kind: 'secret', signs: ['token'], name: tokenName, pattern: told, accept: looksIssued },
  { kind: 'secret', signs: ['\n| ', '\n|`'], pattern: table, accept: looksTold },
  // `db.password   x`, a whole line.
  {
    kind: 'secret',
    signs: ['password', 'passwd', 'passphrase', 'secret', 'api_key', 'apikey', 'auth_token', 'access_token'],
    pattern: pattern(
      `(?<before>(?<=${lineStart}[ \\t]{0,12}(?:[\\w-]{1,30}[._-]){0,4})(?:password|passwd|passphrase|secret|api_?key|(?:auth|access)_token)[ \\t]{1,20})${value}${lineEnd}`,
      'i',
    ),
    accept: looksTold,
  },
  {
    kind: 'totp-secret',
    signs: ['totp', 'otp_', 'otp ', 'mfa', '2fa'],
    pattern:
      /(?<before>(?:totp|otp|mfa|2fa)[ _-]?(?:secret|seed|key)["'*]{0,3}\s{0,3}[:=]\s{0,3}["'*]{0,3}\s?)[A-Z2-7]{16,128}/iy,
  },
  {
    kind: 'recovery-codes',
    signs: ['recovery code', 'backup code'],
    pattern: pattern(
      `(?<before>(?:recovery|backup) codes?[^\\n:]{0,30}:\\*{0,2}\\s?(?:${newLine}){0,2}${bullet})${code}(?:(?:[ \\t,;]{0,3}(?:${newLine}){1,2}${bullet}|[ \\t,;]{1,3})${code}){0,23}`,
      'i',
    ),
    accept: areCodes,
  },
  // Vault
  {
    kind: 'unseal-key',
    signs: ['unseal key', 'recovery key'],
    pattern:
      /(?<before>(?:unseal|recovery) key(?: \d{1,2})?(?: \([^()\n]{1,20}\))?:[ \t]{1,4})[A-Za-z0-9+/]{43,90}={0,2}(?![A-Za-z0-9+/=])/iy,
    accept: looksRandom,
  },
]

/** Some of a list happen to have no digit, but not most. A word with a number behind it may be a word. */
function areCodes(text: string): boolean {
  const codes = text.split(/[\s,;`]+/).filter((one) => one.length >= 4)
  if (codes.length === 1 && /^[a-z]+\d{1,2}$/i.test(text)) return false
  return codes.filter((one) => /\d/.test(one)).length * 2 >= codes.length
}
