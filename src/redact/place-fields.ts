// Secrets in fields of configuration, forms and code: a name that says so, and a value in one of many notations.
import { bare, closing, newLine, pattern, quoted, stringPrefix } from './patterns.ts'
import type { Rule } from './scan.ts'
import { looksChosen, looksIssued, looksRandom, looksTold } from './values.ts'

/** Names of fields that hold a secret, as configuration, forms and code spell them. */
const fieldWord =
  '(?:password|passwd|pass[_ -]?phrase|passwort|kennwort|secret(?:string)?(?! key)|api[_ -]?key|(?:access|auth|refresh|session|security|id|bearer|bot|deploy|personal[_-]access|csrf|api)[_ -]?token|(?:secret|private|access|account|encryption|signing|master|shared|auth|license)[_ .-]?key|secret[_-]?key[_-]?base|client[_-]?secret|(?<=[a-z0-9][_-]|^|[^\\w-])(?:pwd|pass|psk|wif)|(?<=[a-z0-9]_)pw|(?<=[a-z])(?<!(?:by|com|buy|sur|tres|over|under|multi|single|render|sub|trans|en))(?:pwd|pass))'
export const fieldSigns = [
  'passw',
  'passphrase',
  'kennwort',
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
  'license',
  'client',
  'pwd',
  'psk',
  'wif',
  'pass',
]
/** Tokens that are not secrets: of pages, of streams, of models. */
const tokenWord =
  '(?<!(?:page|next|prev|sync|continuation|cancel|cancellation|start|end|stop|eos|bos|pad|unk|special|design|mask)[_-]?)token'
/** `: &str` or `[]` between a name and what it is set to. */
export const type = "(?:\\[\\d{0,4}\\](?=\\s{0,2}=)|\\s{0,2}:\\s{0,2}(?=[&*A-Za-z])[&*\\w.<>'|?\\[\\] ]{1,24}(?==))?"
/** The lookahead keeps it from being tried with fewer blanks. */
const gap = `(?:\\s{0,4}(?!\\s)|[ \\t]{0,4}${newLine}[ \\t]{0,20}(?!\\s))${stringPrefix}`
/** What a row of settings is called by: `DB_PASSWORD`, `x-api-key`, `smtp.secret`. */
const rowName = `[\\w.:-]{0,60}(?:SECRET|TOKEN|PASSWORD|PASSWD|PASS|PWD|KEY|secret|token|password|[aA]pi[_-]?[kK]ey)`

/** Most names of this kind go on: `passwordHash`, `secrets`. */
const nameEnd = '(?=["\'`\\\\&\\]\\s:=*|]|\\[\\d{0,4}\\]\\s{0,2}=)'
export const fieldName = pattern(`${fieldWord}${nameEnd}`, 'i')
export const tokenName = pattern(`${tokenWord}${nameEnd}`, 'i')
export const pluralName = pattern(`(?:${fieldWord}|${tokenWord})s${nameEnd}`, 'i')

/** Notations in which any name can be. */
const anyNotation = (signs: readonly string[], name: RegExp): readonly Rule[] => [
  // Blocks of YAML, Python and PowerShell.
  {
    kind: 'secret',
    signs,
    name,
    pattern: pattern(
      `(?<before>${closing}\\s{0,2}[:=]\\s{0,2}(?:[|>][+-]?\\d?|"""|'''|@["'])[ \\t]{0,4}${newLine}[ \\t]{0,40})${bare(8)}`,
      'i',
    ),
    accept: looksTold,
  },
  // `define('DB_PASSWORD', 'x')`, `["--token", "x"]`, `setItem("token", "x")`.
  {
    kind: 'secret',
    signs,
    name,
    pattern: pattern(`(?<before>\\\\{0,7}["'\`]\\s{0,3},\\s{0,12})${quoted(8)}`, 'i'),
    accept: (secret) => !/\s/.test(secret) && looksTold(secret),
  },
  // A struct as Go prints it.
  {
    kind: 'secret',
    signs,
    name,
    pattern: pattern(`(?<before>:(?<=(?:\\{|map\\[)(?:[^\\n{}[\\]]{0,300} )?\\w{0,40}:))${bare(8)}(?=[ }\\]])`, 'i'),
    accept: looksTold,
  },
  // A mapping of YAML on one line.
  {
    kind: 'secret',
    signs,
    name,
    pattern: pattern(`(?<before>:[ \\t]{1,4}(?<=\\{[^\\n{}]{0,300}))${bare(8)}(?=[ \\t]{0,4}[,}])`, 'i'),
    accept: looksTold,
  },
  // As Java, Rust and PHP print it, and as a list or an object of JSON.
  {
    kind: 'secret',
    signs,
    name,
    pattern: pattern(
      `(?<before>=(?<=[{(,]\\s{0,2}\\w{0,40}=)|\\s{0,2}[:=]\\s{0,2}Some\\(|\\][ \\t]=>[ \\t]|["']\\]=>\\s{0,20}string\\(\\d{1,5}\\)\\s|["']\\s{0,4}:\\s{0,4}(?:\\[|\\{\\s{0,20}"value"\\s{0,2}:)\\s{0,4})(?:${quoted(8)}|${bare(8)}(?=[,)}]|[ \\t]{0,4}(?:\\r?\\n|$)))`,
      'i',
    ),
    accept: (secret) => !/\s/.test(secret) && looksTold(secret),
  },
]

export const fields: readonly Rule[] = [
  {
    kind: 'secret',
    signs: fieldSigns,
    name: fieldName,
    pattern: pattern(`(?<before>${closing}${type}\\s{0,4}(?:=>|:=|[:=])${gap})${quoted(6)}`, 'i'),
    accept: (secret) => !/\s/.test(secret) && looksChosen(secret),
  },
  // Without quotes: a whole value of YAML, INI or a form. Code goes on after a name; a blank before the colon may be a choice
  // (`a ? secret : b`).
  {
    kind: 'secret',
    signs: fieldSigns,
    name: fieldName,
    pattern: pattern(
      `(?<before>\\s{0,4}=\\s{0,4}|:[ \\t]{1,8}|[ \\t]{1,8}:(?<!\\?[^\\n]{0,100})[ \\t]{1,8})${bare(6)}(?=[\\s"'\`\\\\;&#]|$)`,
      'i',
    ),
    accept: looksChosen,
  },
  {
    kind: 'secret',
    signs: ['token'],
    name: tokenName,
    pattern: pattern(
      `(?<before>${closing}${type}\\s{0,4}(?::=|[:=])${gap})(?:${quoted(16)}|${bare(16)}(?=[\\s"'\`\\\\&#]|$))`,
      'i',
    ),
    accept: looksIssued,
  },
  ...anyNotation(fieldSigns, fieldName),
  ...anyNotation(['token'], tokenName),
  // A variable with its value in the next field, as containers are given them.
  {
    kind: 'env-value',
    signs: ['name:', 'name"', 'name\\"', 'key"', 'key\\"', 'key:'],
    pattern: pattern(
      `(?<before>(?:name|key)\\\\{0,7}"?\\s{0,2}:\\s{0,3}\\\\{0,7}["']?${rowName}\\\\{0,7}["']?,?(?:\\s{0,40}|[ \\t]{0,4}${newLine}[ \\t]{0,40})\\\\{0,7}"?value\\\\{0,7}"?\\s{0,2}:\\s{0,3})(?:${quoted(6)}|${bare(6)})`,
    ),
    accept: looksChosen,
  },
  {
    kind: 'env-value',
    signs: ['"value"', '"value\\"'],
    pattern: pattern(
      `(?<before>"value\\\\{0,7}"\\s{0,2}:\\s{0,3})${quoted(6)}(?<after>\\s{0,2},\\s{0,40}\\\\{0,7}"(?:name|key)\\\\{0,7}"\\s{0,2}:\\s{0,3}\\\\{0,7}"${rowName}\\\\{0,7}")`,
    ),
    accept: looksChosen,
  },
  {
    kind: 'env-value',
    signs: ['key"', 'name"'],
    pattern: pattern(
      `(?<before>(?:key|name)"\\s{0,2}:\\s{0,3}"[\\w./:-]{0,100}(?:secret|token|password|passwd|api[_-]?key)"\\s{0,2},\\s{0,40}(?:"Type"\\s{0,2}:\\s{0,3}"\\w{1,20}"\\s{0,2},\\s{0,40})?"(?:Parameter)?Value"\\s{0,2}:\\s{0,3})${quoted(6)}`,
      'i',
    ),
    accept: looksChosen,
  },
  // XML with attributes.
  {
    kind: 'secret',
    signs: ['<password ', ':password '],
    pattern: /(?<before>[<:]password\s[^<>]{1,200}>)[^\s<>{}$]{6,400}(?<after><)/iy,
    accept: looksChosen,
  },
  {
    kind: 'secret',
    signs: ['password">', 'secret">', 'token">'],
    pattern: /(?<before>(?<=name="[\w.:-]{0,60})(?:password|secret|token)">)[^\s<>{}$]{6,400}(?<after><)/iy,
    accept: looksChosen,
  },
  {
    kind: 'secret',
    signs: ['value="'],
    pattern:
      /(?<before>(?<=<input\s[^<>]{0,200})value=")[^"\s<>{}$]{6,200}(?<after>"[^<>]{0,200}?\sname="[\w.:-]{0,40}(?:password|secret|token|api_?key)")/iy,
    accept: looksChosen,
  },
  // A form of several parts.
  {
    kind: 'secret',
    signs: ['name="'],
    pattern: /(?<before>name="[\w.-]{0,40}(?:password|secret|token|api_?key)"\r?\n\r?\n)\S{6,400}/iy,
    accept: looksChosen,
  },
  {
    kind: 'secret',
    signs: ['password>', 'passwd>', 'secret>', 'token>', 'apikey>', 'api-key>', 'passphrase>', 'pass>', 'pwd>'],
    pattern:
      /(?<before>(?:password|passwd|secret|token|api-?key|passphrase|pass|pwd)>\s{0,4}(?:<!\[CDATA\[)?)[^\s<>{}$]{6,400}?(?<after>(?:\]\]>)?\s{0,4}<)/iy,
    accept: looksChosen,
  },
  {
    kind: 'secret',
    signs: ['key="', 'name="'],
    pattern:
      /(?<before>(?:key|name)="[\w.:-]{0,60}(?:password|secret|token|apikey|pwd)[\w.:-]{0,10}"\s{1,4}value=")[^"\s]{6,400}/iy,
    accept: looksChosen,
  },
  // A property list.
  {
    kind: 'secret',
    signs: ['</key>'],
    pattern: pattern(
      `(?<before>(?<=<key>${rowName})</key>(?:\\s{0,20}|${newLine}[ \\t]{0,20})<string>)[^\\s<>{}$]{6,400}(?<after><\\/)`,
      'i',
    ),
    accept: looksChosen,
  },
  {
    kind: 'secret',
    signs: ['type="password"', "type='password'"],
    pattern: /(?<before>type=["']password["'][^<>]{0,200}?\svalue=["'])[^"'\s<>{}$]{6,200}/iy,
    accept: looksChosen,
  },
  {
    kind: 'private-key',
    signs: ['client-key-data'],
    pattern: /(?<before>client-key-data\\?["']?:\s{1,4}\\?["']?)[A-Za-z0-9+/]{40,8000}={0,2}/y,
  },
  {
    kind: 'npm-token',
    signs: ['_authToken', '_password'],
    pattern: /(?<before>_(?:authToken|password)[\s=]{1,3}["']?)[A-Za-z0-9+/=_-]{8,400}/y,
    accept: looksRandom,
  },
]
