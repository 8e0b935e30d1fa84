// Secrets in HTTP headers.
import { closing, pattern, quoted, valueField } from './patterns.ts'
import type { Rule } from './scan.ts'
import { isBasicPair, isLiteral, isNamed, looksChosen, looksIssued, looksRandom } from './values.ts'

const cookies = '[^\\r\\n"\'`\\\\<>{}()]{8,4000}'

/** From the name of a header to its value: `: `, `", "`, `","value":"`. */
const headerGap = `${closing}(?:${valueField}|\\s{0,3}[:=,])\\s{0,3}\\\\{0,7}["'\`]?`

export const headers: readonly Rule[] = [
  {
    kind: 'bearer-token',
    signs: ['authorization'],
    pattern: pattern(
      `(?<before>authorization${headerGap}(?:(?:bearer|basic|token|api-?key|digest|negotiate|oauth|bot|key|aws4-hmac-sha256)\\s{1,4})?)[^\\s"'\`<>\\\\(){}\\[\\]$,;]{4,2000}`,
      'i',
    ),
    accept: (secret, before) =>
      (isLiteral(secret) && (looksChosen(secret) || looksRandom(secret))) || (/basic\s+$/i.test(before) && isBasicPair(secret)),
  },
  // A scheme of some vendor: `SSWS`, `GenieKey`, `Splunk`.
  {
    kind: 'bearer-token',
    signs: ['authorization'],
    pattern: pattern(`(?<before>authorization${headerGap}[a-z][\\w-]{1,24}\\s{1,4})[^\\s"'\`<>\\\\(){}\\[\\]$,;]{16,2000}`, 'i'),
    accept: looksIssued,
  },
  {
    kind: 'signature',
    signs: ['response="', 'response=\\"', 'Signature='],
    pattern: /(?<before>(?<=digest\s[^\n]{0,1000})response=\\?"|(?<=[,\s]\s?)Signature=)[0-9a-f]{32,128}(?![0-9a-z])/iy,
  },
  {
    kind: 'bearer-token',
    signs: ['bearer', 'basic', 'token', 'apikey'],
    pattern: /(?<before>(?<![\w-])(?:Bearer|Basic|Token|ApiKey)\s{1,4})[A-Za-z0-9._~+/-]{16,4000}={0,2}/iy,
    accept: (secret, before) => looksIssued(secret) || (/basic/i.test(before) && secret.length > 16 && isBasicPair(secret)),
  },
  {
    kind: 'header-value',
    signs: ['-key', '-token', '-secret', '-signature', '-password', '-team'],
    pattern: pattern(
      `(?<before>(?<=(?:^|[^\\w-])(?:x|api|private|job|deploy|ocp|auth|access|subscription|service|secret|client|admin|dd|cf|xi|circle|vault)[\\w-]{0,40})-(?:key|token|secret|signature|password|(?<=honeycomb-)team)\\\\?["']?\\s{0,3}:\\s{0,3}\\\\?["'\`]?)[^\\s"'\`<>\\\\(){}\\[\\]$,;]{6,2000}`,
      'i',
    ),
    accept: (secret) => looksChosen(secret),
  },
  {
    kind: 'header-value',
    signs: ['api-key', 'private-token', 'apikey'],
    pattern: pattern(
      `(?<before>(?<![\\w-])(?:api-?key|private-token)\\\\?["']?:\\s{0,3}\\\\?["'\`]?)[^\\s"'\`<>\\\\(){}\\[\\]$,;]{6,2000}`,
      'i',
    ),
    accept: (secret) => looksChosen(secret),
  },
  {
    kind: 'cookie',
    signs: ['cookie'],
    pattern: pattern(
      `(?<before>(?<!\\w)cookie\\\\?["']?\\s{0,2}:\\s{0,3}\\\\?["'\`]?|(?<=(?:set-|--))cookie(?:\\\\?["']?\\s{0,2}[:,=]|\\s)\\s{0,3}\\\\?["'\`]?|(?<!\\w)cookie\\\\?["']?${valueField}\\\\?["']?)${cookies}`,
      'i',
    ),
    accept: isCookie,
  },
  {
    kind: 'cookie',
    signs: ['value"', 'value\\"'],
    pattern: pattern(
      `(?<before>value\\\\?"\\s{0,2}:\\s{0,3}\\\\?")${cookies}(?<after>\\\\?"\\s{0,2},\\s{0,40}\\\\?"name\\\\?"\\s{0,2}:\\s{0,3}\\\\?"(?:set-)?cookie\\\\?")`,
      'i',
    ),
    accept: isCookie,
  },
  {
    kind: 'cookie',
    signs: ['name"', 'name\\"'],
    pattern: pattern(
      `(?<before>name\\\\?"\\s{0,2}:\\s{0,3}\\\\?"[\\w.-]{0,30}(?:sid|sess(?:ion)?(?:[_-]?id)?|jwt|auth|csrf|xsrf)\\\\?"${valueField})${quoted(16)}`,
      'i',
    ),
    // The ids of an agent's sessions are not secrets.
    accept: (secret) => looksIssued(secret) && !/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(secret),
  },
  // The cookies of sessions, by the names that frameworks give them.
  {
    kind: 'cookie',
    signs: ['jsessionid', 'phpsessid', 'aspsessionid', 'asp.net_sessionid', 'connect.sid', 'laravel_session', 'ci_session'],
    pattern: pattern(
      `(?<before>(?:jsessionid|phpsessid|aspsessionid[a-z]{0,10}|asp\\.net_sessionid|connect\\.sid|laravel_session|ci_session)(?:=|${headerGap}))[^\\s"'\`\\\\<>{}()&,;=]{12,2000}={0,2}`,
      'i',
    ),
    accept: (secret) => looksRandom(secret) && isLiteral(secret) && !isNamed(secret),
  },
  {
    kind: 'cookie',
    signs: ['curl '],
    pattern: /(?<before>curl(?=\s)[^\n]{0,300}?\s-b\s{0,2}["'])[^\r\n"'`\\<>{}()]{8,4000}/y,
    accept: isCookie,
  },
]

/** At least one pair whose value is more than a setting. */
function isCookie(text: string): boolean {
  return text.split(';').some((pair) => {
    const [, name = '', value = ''] = /^\s*([\w.%-]{1,100})=(.*)$/s.exec(pair) ?? []
    if (/^(?:expires|max-age|path|domain|samesite)$/i.test(name)) return false
    if (/sess|auth|token|sid|jwt|csrf|xsrf/i.test(name)) return value.length >= 6 && looksRandom(value)
    return looksIssued(value)
  })
}
