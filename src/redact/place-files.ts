// Secrets in files and command lines of other programs: credentials, clusters, databases.
import { bare, lineEnd, linePrefix, lineStart, newLine, pattern, quoted } from './patterns.ts'
import type { Rule } from './scan.ts'
import { isBasicPair, isLiteral, looksIssued, looksTold } from './values.ts'

/** A key with its value in a map of YAML. */
const entry = '[ \\t]{1,40}(?!kind: ?[A-Z])["\']?[\\w./-]{1,100}["\']?:[ \\t]?[^\\n]{1,4000}'
/** The lines of a block behind `conf: |`. */
const block = `(?:(?<=[|>][+-]?)(?:${newLine}[ \\t]{2,40}[^\\n]{1,4000}){0,200})?`
/** Any other indented line. There is one way to match it: with two, a long map without a kind would be tried forever. */
const anyOtherLine = '\\r?\\n(?![^\\n]{0,20}kind:)(?=[+>-]?[ \\t]|[ \\t]{0,8}\\d{1,6}[→\\t] )[^\\r\\n]{1,4000}'
const netrcGap = `(?:\\s{1,20}|${newLine}[ \\t]{0,8})`

const credentials: readonly Rule[] = [
  // netrc
  {
    kind: 'password',
    signs: ['password', 'passwd'],
    pattern: pattern(
      `(?<before>(?<=(?:machine\\s{1,10}(?:[\\w-]{0,60}[.:\\d][\\w.:-]{0,200}|localhost)${netrcGap}|default\\s{1,20})login\\s{1,10}\\S{1,200}${netrcGap}|\\n${linePrefix}[ \\t]{0,8}login\\s{1,10}\\S{1,200}${newLine}[ \\t]{0,8})passw(?:or)?d\\s{1,10})[^\\s"'<>\`]{4,400}`,
    ),
    accept: isLiteral,
  },
  // pgpass
  {
    kind: 'password',
    signs: [':*:', ':5432:', ':5433:', ':6432:'],
    pattern: pattern(
      `(?<before>(?<=${lineStart}[\\w.*-]{1,200}):(?:\\d{2,5}|\\*):[\\w.*-]{1,100}:[\\w.@*-]{1,100}:)[^\\s:"'\`\\\\]{4,200}${lineEnd}`,
    ),
    accept: isLiteral,
  },
  // Docker and npm
  {
    kind: 'registry-auth',
    signs: ['"auth', '_auth'],
    pattern: /(?<before>"auth\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"|_auth\s{0,2}=\s{0,2}["']?)[A-Za-z0-9+/=]{8,4000}/y,
    accept: (secret) => isBasicPair(secret) || (secret.length >= 24 && looksIssued(secret)),
  },
]

const kubernetes: readonly Rule[] = [
  {
    kind: 'kubernetes-secret',
    signs: ['data:'],
    pattern: pattern(
      `(?<before>(?<=kind: Secret(?:${newLine}|\\n(?:(?!kind: )[\\s\\S]){0,600}${newLine})[ \\t]{0,8}(?:string)?)data:${newLine})${entry}${block}(?:${newLine}${entry}${block}){0,49}`,
      'i',
    ),
  },
  {
    kind: 'kubernetes-secret',
    signs: ['data:'],
    pattern: pattern(
      `(?<before>data:${newLine})${entry}(?:${anyOtherLine}){0,99}(?<after>${newLine}[ \\t]{0,8}kind: Secret)`,
      'i',
    ),
  },
  {
    kind: 'kubernetes-secret',
    signs: ['data"'],
    pattern:
      /(?<before>data"\s{0,2}:\s{0,2}\{)(?!\s{0,40}\})[^{}]{8,8000}(?<after>\})(?=[\s\S]{0,2000}?"kind"\s{0,2}:\s{0,2}"Secret"|(?<="kind"\s{0,2}:\s{0,2}"Secret"[\s\S]{0,8600}))/iy,
  },
]

const databases: readonly Rule[] = [
  {
    kind: 'password',
    signs: ['requirepass', 'masterauth', 'sentinel auth-pass'],
    pattern: pattern(
      `(?<before>(?:requirepass|masterauth|sentinel auth-pass [\\w.-]{1,60})["']?[ \\t]{1,8})(?:${quoted(4)}|${bare(4)}${lineEnd})`,
    ),
    accept: isLiteral,
  },
  // `user bob on >x ~*`, as a file and as a command of Redis.
  {
    kind: 'password',
    signs: ['user '],
    pattern: pattern(
      `(?<before>(?<=${lineStart}[ \\t]{0,8}|acl set)user [\\w.-]{1,60} (?:(?:on|off|reset|resetpass|resetkeys|[~+&-]\\S{1,60}) ){0,8}["']?>)[^\\s"'<>=][^\\s"'<>]{3,200}`,
      'i',
    ),
    accept: isLiteral,
  },
  {
    kind: 'password',
    signs: ['AUTH '],
    pattern: pattern(`(?<before>(?<=(?:${lineStart}|>)[ \\t]{0,4})AUTH (?:[\\w.-]{1,40} )?)${bare(8)}`),
    accept: looksTold,
  },
  {
    kind: 'password',
    signs: ['identified by', 'identified with', "password '", 'with password', 'encrypted password', 'set password'],
    pattern:
      /(?<before>(?:identified\s(?:with\s[\w"']{1,40}\s)?by\s{1,3}|(?<=(?:with|encrypted|role|user)\s[^\n;]{0,80})password\s{1,3}|set\spassword(?:\sfor\s[^\s=]{1,80})?\s{0,3}=\s{0,3}(?:password\()?)')[^'\n]{4,200}(?<after>')/iy,
    accept: isLiteral,
  },
  // ipsec.secrets
  {
    kind: 'password',
    signs: [': PSK', ':PSK'],
    pattern: pattern(`(?<before>: ?PSK[ \\t]{1,4})${quoted(6)}`),
    accept: isLiteral,
  },
]

export const files: readonly Rule[] = [...credentials, ...kubernetes, ...databases]
