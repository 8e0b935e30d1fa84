// Secrets in variables of an environment and in constants: names in capitals.
import { bare, closing, pattern, quoted, stringPrefix } from './patterns.ts'
import type { Rule } from './scan.ts'
import { isLiteral, isNamed, looksChosen, looksIssued } from './values.ts'

/** Names in capitals: variables of an environment, and constants. */
const envWord =
  '(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?<![A-Za-z])PASS|(?<=[A-Z0-9]_)(?:PWD|PW|PAT|AUTH|SESSION)|(?<=[A-Z0-9]_|STA)PSK|(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER|AUTH|SERVICE|ACCOUNT|LICENSE)_?KEY)'
const envRest =
  '(?!_?(?:COUNT|LIMIT|URL|URI|FILE|PATH|NAME|ID|TTL|TYPE|LEN|LENGTH|SIZE|EXP\\w*|HOST|PORT|DIR|ENABLED|HEADER|ALG\\w*|ENDPOINT|REGEX|PATTERN|PREFIX|FIELD|BUDGET|USAGE|S)(?![A-Z]))(?:_[A-Z0-9_]{1,32})?(?<!_(?:NAME|ID|URL|URI|PATH|FILE|HEADER|ENV|TYPE|TTL|COUNT|LIMIT|REGEX|REGEXP|PATTERN|SCHEMA|FIELD))'
const envSigns = [
  'SECRET',
  'TOKEN',
  'PASS',
  'CREDENTIAL',
  'PWD',
  'PW=',
  'PAT',
  'AUTH',
  'API',
  'ACCESS',
  'PRIVATE',
  'ENCRYPTION',
  'SIGNING',
  'MASTER',
  'SERVICE',
  'ACCOUNT',
  'LICENSE',
  'SESSION',
  'PSK',
]
const envSeparator = `${closing}\\s{0,2}(?::?=|:)\\s{0,2}${stringPrefix}`
/** `#define WIFI_PASS "x"` */
const defined = '(?<=#define[ \\t]{1,8}\\w{1,80})[ \\t]{1,20}(?=\\\\{0,7}")'

export const variables: readonly Rule[] = [
  {
    kind: 'env-value',
    signs: envSigns,
    pattern: pattern(`(?<before>${envWord}${envRest}(?:${envSeparator}|${defined}))(?:${quoted(4)}|${bare(4)})`),
    accept: (secret, before) => isEnvValue(secret, before),
  },
  // Any other KEY: most are names of rows, caches and buttons.
  {
    kind: 'env-value',
    signs: ['KEY'],
    pattern: pattern(
      `(?<before>(?<=[A-Z0-9]_)(?<!(?:CACHE|PRIMARY|FOREIGN|PUBLIC|SORT|PARTITION|IDEMPOTENCY|UNIQUE|STORAGE|HASH|REDIS|ROW|SSH|GPG|HOST)_)KEY(?:_[A-Z0-9]{1,16}|\\d)?(?<!_(?:ID|NAME|PATH|FILE|PREFIX|TYPE))${envSeparator})(?:${quoted(12)}|${bare(12)})`,
    ),
    accept: looksIssued,
  },
  {
    kind: 'env-value',
    signs: ['ENV ', 'ARG ', 'setx ', 'setenv ', 'set -'],
    pattern: pattern(
      `(?<before>(?<![A-Za-z])(?:ENV|ARG|setx|setenv|set\\s-\\w{1,3})\\s{1,4}[A-Z0-9_]{0,60}(?:SECRET|TOKEN|PASSWORD|PASSWD|PASS|PWD|KEY)(?:_[A-Z0-9_]{1,20})?(?<!_(?:ID|NAME|PATH|FILE|URL))\\s{1,4})(?:${quoted(6)}|${bare(6)})`,
    ),
    accept: looksChosen,
  },
]

function isEnvValue(secret: string, before: string): boolean {
  if (!isLiteral(secret) || /\s/.test(secret) || /^[\d.]{1,7}$/.test(secret)) return false
  // `PASSWORD: string`, `TOKEN: getToken`: a type or a name.
  if (/:\s*$/.test(before)) return looksChosen(secret)
  if (/^PASS|_PASS|PWD|_PW|PASSWORD|PSK/.test(before)) return secret.length >= 6 && !/^[A-Z][A-Z0-9_]*$/.test(secret)
  if (/SESSION/.test(before)) return looksIssued(secret)
  return secret.length >= 8 && !/^\d+$|^[A-Z][A-Z_]*$/.test(secret) && !isNamed(secret)
}
