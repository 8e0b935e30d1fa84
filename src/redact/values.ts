// Tells a secret from what merely stands where one could be: placeholders, references, code, paths and plain words.

const placeholder =
  /^(?:[x*.•#_-]{3,}|(?:sk|pk|xox\w|ghp|key|api|tok)[-_]?[x*.•]{3,}|(?:your|my|the|some|example|sample|dummy|fake|mock|test|changeme|change|placeholder|redacted|insert|replace|enter|put|password|passwd|pass|secret|token|api[_-]?key|username|user|hidden|masked|undefined|null|none|nil|true|false|string|number|boolean|todo|fixme|abc|abcd|foo|foobar|bar|baz)(?![A-Za-z]|\d\w{12}))|^(?:your|example|changeme|placeholder|redacted|replace|xxx)|EXAMPLE|\[redacted|^(?:%\w+%|[$@!&{<[(])|\$\{|\{\{|<%|\.{3}|…|\*{3}|x{6}|(?:-|_)(?:here|goes-here)$/i

/** A name of something else that holds the value: `process.env.KEY`, `user.password`, `getToken(`, `/run/secrets/db`, `vault://...`. */
const reference =
  /^(?:process|os|env|import|config|settings|options|this|self|args|req|request|ctx|context|secrets|vars|var|local|module|data|params|props|state|user|values?)(?:\.|\[|->|::)|^[\w$]{1,80}(?:\??\.[A-Za-z_$][\w$]{0,80}){1,8}[!?]?$|^[\w$.]{1,160}(?:\(|\[|::|->|=>)|^(?:\.{0,2}|~|[A-Z]:)[\\/](?:[\w.-]{1,80}[\\/])|^\w{2,20}:\/\/|^arn:|^[:?]\w{0,40}$|[&|]{2}|={2,3}(?=[^=])|=>|^\/\^|^[\w$.]{1,80}!==?/

/** Words of the trade with digits in them. */
const knownDigits =
  /sha-?\d{1,3}|md5|base-?(?:16|32|58|64|85)|oauth-?2|utf-?(?:8|16)|ipv[46]|hs\d{3}|rs\d{3}|es\d{3}|x509|aes-?\d{3}|v\d{1,2}(?![0-9a-z])|u?int\d{1,2}|float\d\d|[iu](?:8|16|32|64)\b|k8s|i18n|s3\b|ec2|http2|p256|ed25519|argon2\w{0,2}|pbkdf2|bcrypt\d?|scrypt|1password|auth0|log4j|web3|d3\b|h2\b|neo4j|ps1|mp[34]|2fa\b/gi

/** Enough to judge a value by, however long it is. */
function beginning(text: string): string {
  return text.slice(0, 300)
}

/** A digit among letters, as issued tokens have; words, paths and identifiers of code mostly have none. */
export function looksRandom(value: string): boolean {
  const text = beginning(value)
  return /\d/.test(text) && /[A-Za-z]/.test(text) && !placeholder.test(text)
}

/** Anything but a placeholder or a reference: for places that hold nothing but secrets. */
export function isLiteral(value: string): boolean {
  const text = beginning(value)
  return !placeholder.test(text) && !reference.test(text) && !/^\d{1,3}$/.test(text)
}

/** A password among other values: letters with a digit, or with a sign that names do not have. */
export function looksChosen(value: string): boolean {
  const text = beginning(value)
  if (!isLiteral(text) || /^[\d.,:_-]{1,40}$/.test(text)) return false
  const rest = text.replaceAll(knownDigits, '')
  if (/\d/.test(rest)) return /[A-Za-z!@#%^&*~]/.test(rest)
  return /[A-Za-z0-9][!@#%^&*~][A-Za-z0-9!@#%^&*~]/.test(text) && !/^[@#]|\w@\w|\w#\w/.test(text)
}

/** Long, and with a digit or letters of both cases in a mix that no name in code has. */
export function looksIssued(value: string): boolean {
  const text = beginning(value)
  if (text.length < 16 || /\s/.test(text) || !isLiteral(text) || isNamed(text)) return false
  return looksRandom(text.replaceAll(knownDigits, ''))
}

/** `user:pass` in base64, as HTTP and Docker put it. */
export function isBasicPair(text: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{4,4000}={0,2}$/.test(text)) return false
  return /^[\x20-\x39\x3b-\x7e]{0,200}:[\x20-\x7e]{1,2000}$/.test(Buffer.from(text, 'base64').toString('latin1'))
}

/** Words joined by `-`, `_`, `.`, `/`, `:` or capitals, at most with short numbers: identifiers, cache keys, versions, image names. */
export function isNamed(text: string): boolean {
  const parts = text.split(/[-_./:@+]|(?<=[a-z])(?=[A-Z])/)
  return parts.length > 1 && parts.every((part) => /^(?:[A-Za-z]?[a-z]{1,20}\d{0,2}|[A-Z]{1,20}\d{0,2}|v?\d{1,8}|)$/.test(part))
}
