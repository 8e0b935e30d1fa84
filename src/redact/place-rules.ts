// Secrets known by the place they are in: a header, a variable, a field, an address, an argument, a line of a known file.
import type { Rule } from './scan.ts'
import { isBasicPair, isLiteral, isNamed, looksChosen, looksIssued, looksRandom } from './values.ts'

const quoted = (from: number): string =>
  `(?:\\\\"[^"\\\\\\n]{${from},2000}\\\\"|"(?:[^"\\\\\\n]|\\\\.){${from},2000}"|'(?:[^'\\\\\\n]|\\\\.){${from},2000}'|\`[^\`\\n]{${from},2000}\`)`
/**
 * A run up to its end, where a call or an index must not follow, as they do after a name. The lookahead with the back reference
 * keeps it from being tried again at every shorter length. Stops where the next field of a form begins.
 */
const bare = (from: number): string =>
  `(?=(?<run>(?:[^\\s"'\`,;<>(){}\\[\\]$\\\\|&]|&(?![\\w.-]{1,40}=)){${from},2000}))\\k<run>(?![(\\[])`
const pattern = (source: string, flags = ''): RegExp => new RegExp(source, `y${flags}`)

const headers: readonly Rule[] = [
  {
    kind: 'bearer-token',
    signs: ['authorization'],
    pattern: pattern(
      `(?<before>authorization\\\\?["']?\\]?\\s{0,3}[:=,]\\s{0,3}\\\\?["'\`]?(?:(?:bearer|basic|token|api-?key|digest|negotiate|oauth|bot|key|aws4-hmac-sha256)\\s{1,4})?)[^\\s"'\`<>\\\\(){}\\[\\]$,;]{4,2000}`,
      'i',
    ),
    accept: (secret, before) => looksChosen(secret) || looksRandom(secret) || (/basic\s+$/i.test(before) && isBasicPair(secret)),
  },
  {
    kind: 'bearer-token',
    signs: ['bearer', 'basic', 'token', 'apikey'],
    pattern: /(?<before>(?<![\w-])(?:Bearer|Basic|Token|ApiKey)\s{1,4})[A-Za-z0-9._~+/-]{16,4000}={0,2}/iy,
    accept: (secret, before) => looksIssued(secret) || (/basic/i.test(before) && secret.length > 16 && isBasicPair(secret)),
  },
  {
    kind: 'header-value',
    signs: ['-key', '-token', '-secret', '-signature', '-password'],
    pattern: pattern(
      `(?<before>(?<=(?:^|[^\\w-])(?:x|api|private|job|deploy|ocp|auth|access|subscription|service|secret|client|admin|dd|cf|xi|circle|vault)[\\w-]{0,40})-(?:key|token|secret|signature|password)\\\\?["']?\\s{0,3}:\\s{0,3}\\\\?["'\`]?)[^\\s"'\`<>\\\\(){}\\[\\]$,;]{6,2000}`,
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
    pattern:
      /(?<before>(?<![\w])cookie\\?["']?\s{0,2}:\s{0,3}\\?["'`]?|(?<=(?:set-|--))cookie(?:\\?["']?\s{0,2}[:,=]|\s)\s{0,3}\\?["'`]?)[^\r\n"'`\\<>{}()]{8,4000}/iy,
    accept: isCookie,
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

/** Names in capitals: variables of an environment, and constants. */
const envWord =
  '(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?<![A-Za-z])PASS|(?<=[A-Z0-9]_)(?:PWD|PW|PAT|AUTH)|(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER|AUTH|SERVICE|ACCOUNT|LICENSE)_?KEY)'
const envRest =
  '(?!_?(?:COUNT|LIMIT|URL|URI|FILE|PATH|NAME|ID|TTL|TYPE|LEN|LENGTH|SIZE|EXP\\w*|HOST|PORT|DIR|ENABLED|HEADER|ALG\\w*|ENDPOINT|REGEX|PATTERN|PREFIX|FIELD|BUDGET|USAGE|S)(?![A-Z]))(?:_[A-Z0-9_]{1,32})?(?<!_(?:NAME|ID|URL|URI|PATH|FILE|HEADER|ENV|TYPE|TTL|COUNT|LIMIT))'
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
]
const envSeparator = '\\\\?["\']?\\]?\\s{0,2}(?::?=|:)\\s{0,2}'

const variables: readonly Rule[] = [
  {
    kind: 'env-value',
    signs: envSigns,
    pattern: pattern(`(?<before>${envWord}${envRest}${envSeparator})(?:${quoted(4)}|${bare(4)})`),
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
  if (/^PASS|_PASS|PWD|_PW|PASSWORD/.test(before)) return secret.length >= 6 && !/^[A-Z][A-Z0-9_]*$/.test(secret)
  return secret.length >= 8 && !/^\d+$|^[A-Z][A-Z_]*$/.test(secret) && !isNamed(secret)
}

/** Names of fields that hold a secret, as configuration, forms and code spell them. */
const fieldWord =
  '(?:password|passwd|passphrase|passwort|secret|api[_-]?key|(?:access|auth|refresh|session|security|id|bearer|bot|deploy|personal[_-]access|csrf)[_-]?token|(?:secret|private|access|account|encryption|signing|master|shared|auth)[_-]?key|secret[_-]?key[_-]?base|client[_-]?secret|(?<=[a-z0-9][_-]|^|[^\\w-])(?:pwd|pass)|(?<=[a-z0-9]_)pw|(?<=[a-z])(?:Pwd|Pass))'
const fieldSigns = [
  'passw',
  'passphrase',
  'secret',
  'api',
  'access',
  'auth',
  'refresh',
  'session',
  'security',
  'id_',
  'id-',
  'idtoken',
  'pw=',
  'pw:',
  'bearer',
  'bot_',
  'deploy',
  'personal',
  'csrf',
  'private',
  'account',
  'encryption',
  'signing',
  'master',
  'shared',
  'client',
  'pwd',
  'pass',
]

const fields: readonly Rule[] = [
  {
    kind: 'secret',
    signs: fieldSigns,
    pattern: pattern(`(?<before>${fieldWord}\\\\?["']?\\]?\\s{0,4}(?:=>|:=|[:=])\\s{0,4})${quoted(6)}`, 'i'),
    accept: (secret) => !/\s/.test(secret) && looksChosen(secret),
  },
  // Without quotes: a whole value of YAML, INI or a form. Code goes on after a name.
  {
    kind: 'secret',
    signs: fieldSigns,
    pattern: pattern(`(?<before>${fieldWord}(?:\\s{0,4}=\\s{0,4}|:[ \\t]{1,8}))${bare(6)}(?=[\\s"'\`\\\\;&#]|$)`, 'i'),
    accept: looksChosen,
  },
  {
    kind: 'secret',
    signs: ['token'],
    pattern: pattern(
      `(?<before>(?<![A-Za-z-])token\\\\?["']?\\s{0,4}[:=]\\s{0,4})(?:${quoted(16)}|${bare(16)}(?=[\\s"'\`\\\\&#]|$))`,
      'i',
    ),
    accept: looksIssued,
  },
  {
    kind: 'private-key',
    signs: ['client-key-data'],
    pattern: /(?<before>client-key-data\\?["']?:\s{1,4}\\?["']?)[A-Za-z0-9+/]{40,8000}={0,2}/y,
  },
  {
    kind: 'registry-auth',
    signs: ['"auth', '_auth'],
    pattern: /(?<before>"auth\\?"\s{0,4}:\s{0,4}\\?"|_auth\s{0,2}=\s{0,2}["']?)[A-Za-z0-9+/=]{8,4000}/y,
    accept: isBasicPair,
  },
  {
    kind: 'npm-token',
    signs: ['_authToken', '_password'],
    pattern: /(?<before>_(?:authToken|password)[\s=]{1,3}["']?)[A-Za-z0-9+/=_-]{8,400}/y,
    accept: looksRandom,
  },
  // `- name: DB_PASSWORD` with its value on the next line, as containers are given variables.
  {
    kind: 'env-value',
    signs: ['name:', '"name"'],
    pattern: pattern(
      `(?<before>name"?:\\s{1,3}["']?[\\w.-]{0,60}(?:SECRET|TOKEN|PASSWORD|PASSWD|PASS|PWD|KEY|secret|token|password)["']?,?\\s{1,40}"?value"?:\\s{1,3})(?:${quoted(6)}|${bare(6)})`,
    ),
    accept: looksChosen,
  },
  {
    kind: 'secret',
    signs: ['password>', 'passwd>', 'secret>', 'token>', 'apikey>', 'api-key>', 'passphrase>', 'pass>', 'pwd>'],
    pattern:
      /(?<before>(?:password|passwd|secret|token|api-?key|passphrase|pass|pwd)>\s{0,4})[^\s<>{}$]{6,400}(?<after>\s{0,4}<\/)/iy,
    accept: (secret) => looksChosen(secret),
  },
  {
    kind: 'secret',
    signs: ['key="', 'name="'],
    pattern:
      /(?<before>(?:key|name)="[\w.:-]{0,60}(?:password|secret|token|apikey|pwd)[\w.:-]{0,10}"\s{1,4}value=")[^"\s]{6,400}/iy,
    accept: looksChosen,
  },
  {
    kind: 'kubernetes-secret',
    signs: ['data:'],
    pattern:
      /(?<before>(?<=kind: Secret\n[\s\S]{0,600}\n(?:string)?)data:\n)(?:[ \t]+[\w.-]{1,100}:[ \t]?[^\n]{1,4000}\n?){1,50}/iy,
  },
  {
    kind: 'kubernetes-secret',
    signs: ['data:'],
    pattern: /(?<before>data:\n)(?:[ \t]+[\w.-]{1,100}:[ \t]?[^\n]{1,4000}\n?){1,50}(?<after>kind: Secret)/iy,
  },
]

const addresses: readonly Rule[] = [
  {
    kind: 'password',
    signs: ['://'],
    pattern: /(?<before>:\/\/[^\s:/@"'<>`\\]{0,128}:)[^\s/@"'<>`]{1,256}(?<after>@)/y,
    accept: isLiteral,
  },
  {
    kind: 'url-token',
    signs: ['://'],
    pattern: /(?<before>:\/\/)[\w.~%+-]{16,400}(?<after>@[\w.-]{1,200})/y,
    accept: looksIssued,
  },
  {
    kind: 'url-token',
    signs: [
      'token=',
      'key=',
      'apikey=',
      'sig=',
      'signature=',
      'secret=',
      'jwt=',
      'auth=',
      'hmac=',
      'sas=',
      'code=',
      'password=',
      'passwd=',
      'pwd=',
    ],
    pattern:
      /(?<before>(?<=[?&#;](?:amp;)?[\w.-]{0,40})(?:token|key|sig|signature|secret|jwt|auth|hmac|sas|code)=)[^\s"'`&#<>\\,;(){}[\]|]{8,4000}/iy,
    accept: (secret) => secret.length >= 12 && looksRandom(secret) && isLiteral(secret),
  },
  {
    kind: 'password',
    signs: ['password=', 'passwd=', 'pwd=', 'pass='],
    pattern: /(?<before>(?<=[?&;]\s{0,2}[\w.-]{0,20})(?:password|passwd|pwd|pass)\s?=\s?)[^\s"'`&;<>\\(){}$|]{4,400}/iy,
    accept: isLiteral,
  },
  {
    kind: 'otp-secret',
    signs: ['otpauth://'],
    pattern: /(?<before>otpauth:\/\/[^\s"'<>]{0,300}?[?&]secret=)[A-Z2-7]{10,200}={0,6}/iy,
  },
  {
    kind: 'totp-secret',
    signs: ['totp', 'otp_'],
    pattern: /(?<before>totp[_-]?(?:secret|seed|key)["']?\s{0,3}[:=]\s{0,3}["']?)[A-Z2-7]{16,128}/iy,
  },
]

const argument = `(?:${quoted(4)}|[^\\s"'\`$<>(){}\\[\\]|;&\\\\-][^\\s"'\`<>|;&\\\\]{3,400})`
const command = (names: string, upTo: string): string =>
  `(?<before>(?<![\\w./-])(?:${names})(?![\\w-])[^\\n|;]{0,200}?\\s${upTo})`
const afterFlag = (names: readonly string[], upTo: string, signs: readonly string[] = names): Rule => ({
  kind: 'argument',
  signs,
  pattern: pattern(`${command(names.join('|'), upTo)}${argument}`),
  accept: isLiteral,
})

const commands: readonly Rule[] = [
  {
    kind: 'argument',
    signs: [
      '--passw',
      '--passphrase',
      '--token',
      '--api-key',
      '--api_key',
      '--apikey',
      '--secret',
      '--access-token',
      '--auth-token',
      '--client-secret',
      '--pat',
    ],
    pattern: pattern(
      `(?<before>--(?:password|passwd|passphrase|token|api[-_]?key|secret|secret-key|access-token|auth-token|client-secret|pat)(?:=|\\s{1,2}))(?:${quoted(6)}|[^\\s"'\`$<>{}[\\]-][^\\s"'\`<>]{5,400})`,
    ),
    accept: (secret, before) => (/pass/.test(before) ? looksChosen(secret) : looksChosen(secret) && secret.length >= 8),
  },
  {
    kind: 'password',
    signs: ['curl ', 'wget ', 'http ', 'https '],
    pattern: pattern(
      `${command('curl|wget|https?', '(?:-u|--user|-a|--auth|--proxy-user|-U)[\\s=]{0,2}["\']?[\\w.@+-]{1,64}:')}[^\\s"'$<>]{4,128}`,
    ),
    accept: isLiteral,
  },
  afterFlag(['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mariadb', 'mariadb-dump', 'mariadb-admin'], '-p(?!\\s)(?!rot)', [
    'mysql',
    'mariadb',
  ]),
  afterFlag(['sshpass'], '-p\\s{0,2}'),
  afterFlag(
    [
      'docker login',
      'podman login',
      'buildah login',
      'helm registry login',
      'oras login',
      'crane auth login',
      'az login',
      'oc login',
    ],
    '-p\\s{1,2}',
  ),
  afterFlag(['mongosh', 'mongo', 'mongodump', 'mongorestore', 'mongoimport', 'cqlsh'], '-p\\s{1,2}'),
  afterFlag(['redis-cli', 'valkey-cli', 'keydb-cli'], '-a\\s{1,2}'),
  afterFlag(['ldapsearch', 'ldapadd', 'ldapmodify', 'ldapdelete', 'ldappasswd', 'ldapwhoami'], '-w\\s{0,2}'),
  afterFlag(['sqlcmd', 'bcp', 'mosquitto_pub', 'mosquitto_sub', 'zip', 'unzip'], '-P\\s{1,2}'),
  afterFlag(['7z', '7za', '7zz'], '-p', ['7z ', '7za ', '7zz ']),
  afterFlag(['smbclient', 'rpcclient', 'net rpc', 'smbget', 'winexe'], '(?:-U|--user)[\\s=]{0,2}["\']?[\\w.\\\\/@-]{1,64}%'),
  afterFlag(['openssl'], '-(?:passin|passout|pass|password)\\s{1,2}pass:'),
  afterFlag(['openssl enc', 'openssl aes-256-cbc'], '-[kK]\\s{1,2}'),
  afterFlag(['gpg', 'gpg2'], '--passphrase[\\s=]{1,2}', ['gpg']),
  afterFlag(['keytool', 'jarsigner'], '-(?:storepass|keypass|srcstorepass|deststorepass)\\s{1,2}'),
  afterFlag(['htpasswd'], '-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\\s+\\S{1,100}\\s+[\\w.@-]{1,64}\\s+'),
  afterFlag(['xfreerdp', 'wfreerdp'], '\\/p:'),
  {
    kind: 'argument',
    signs: ['vault login', 'vault operator unseal', 'rabbitmqctl add_user', 'rabbitmqctl change_password'],
    pattern: pattern(
      `(?<before>(?:vault (?:login|operator unseal)|rabbitmqctl (?:add_user|change_password)\\s[\\w.@-]{1,64})\\s{1,2})${argument}`,
    ),
    accept: looksChosen,
  },
  {
    kind: 'argument',
    signs: ['--from-literal'],
    pattern: pattern(`(?<before>--from-literal[\\s=]["']?[\\w.-]{0,60}=)[^\\s"'\`$<>]{4,400}`),
    accept: isLiteral,
  },
  {
    kind: 'password',
    signs: ['identified by', 'identified with', "password '", 'with password', 'encrypted password'],
    pattern:
      /(?<before>(?:identified\s(?:with\s[\w"']{1,40}\s)?by|(?<=(?:with|encrypted|role|user)\s[^\n;]{0,80})password)\s{1,3}')[^'\n]{4,200}(?<after>')/iy,
    accept: isLiteral,
  },
  {
    kind: 'password',
    signs: ['convertto-securestring'],
    pattern: pattern(`(?<before>ConvertTo-SecureString\\s{1,3}(?:-String\\s{1,3})?)${quoted(4)}`, 'i'),
    accept: isLiteral,
  },
  {
    kind: 'password',
    signs: ['echo ', 'printf ', '<<<'],
    pattern: pattern(
      `(?<before>(?:echo|printf)\\s{1,2}(?:-n\\s)?(?:'%s\\\\n'\\s)?)${argument}(?<after>\\s{0,3}\\|\\s{0,3}(?:sudo\\s(?:-\\w\\s)?-S|docker login|passwd|chpasswd|gh auth login))`,
    ),
    accept: isLiteral,
  },
]

const files: readonly Rule[] = [
  {
    kind: 'password',
    signs: ['password', 'passwd'],
    pattern:
      /(?<before>(?<=(?:machine\s{1,10}(?:[\w-]{0,60}[.:\d][\w.:-]{0,200}|localhost)\s{1,20}|default\s{1,20})login\s{1,10}\S{1,200}\s{1,20}|\n[ \t]{0,8}login\s{1,10}\S{1,200}\n[ \t]{0,8})passw(?:or)?d\s{1,10})[^\s"'<>`]{4,400}/y,
    accept: isLiteral,
  },
  {
    kind: 'password',
    signs: [':*:', ':5432:', ':5433:', ':6432:'],
    pattern: /(?<before>(?<=(?:^|\n)[\w.*-]{1,200}):(?:\d{2,5}|\*):[\w.*-]{1,100}:[\w.@*-]{1,100}:)[^\s:]{4,200}(?=\s|$)/y,
    accept: isLiteral,
  },
]

export const placeRules: readonly Rule[] = [...headers, ...commands, ...files, ...addresses, ...variables, ...fields]
