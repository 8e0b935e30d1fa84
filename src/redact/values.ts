// Tells a secret from what merely stands where one could be: placeholders, references, code, paths and plain words.

const placeholder =
  /^(?:[x*.•#_-]{3,}(?![A-Za-z])|(?:sk|pk|xox\w|ghp|key|api|tok)[-_]?[x*.•]{3,}|(?:your|my|the|some|example|sample|dummy|fake|mock|test|changeme|change|placeholder|redacted|insert|replace|enter|put|password|passwd|pass|secret|token|api[_-]?key|username|user|hidden|masked|undefined|null|none|nil|true|false|string|number|boolean|todo|fixme|abc|abcd|foo|foobar|foobared|bar|baz)(?![A-Za-z]|\d\w{12}))|^(?:your|example|changeme|placeholder|redacted|replace|xxxx)|EXAMPLE|\[redacted|^(?:%\w+%|[{<[(]|[$@!&][A-Za-z_{(][\w.:>-]*$)|\$\{|\{\{|<%|\.{3}|…|\*{3}|x{6}|(?:-|_)(?:here|goes-here)$/i

/** A name of something else that holds the value: `process.env.KEY`, `user.password`, `getToken(`, `/run/secrets/db`, `vault://...`. */
const reference =
  /^(?:process|os|env|import|config|settings|options|this|self|args|req|request|ctx|context|secrets|vars|var|local|module|data|params|props|state|user|values?)(?:\.|\[|->|::)|^[\w$.]{1,160}(?:\(|\[|::|->|=>)|^\w{2,20}:\/\/|^arn:|^[:?]\w{0,40}$|[&|]{2}|={2,3}(?=[^=])|=>|^\/\^|^[\w$.]{1,80}!==?/

/** Words of the trade with digits in them. */
const knownDigits =
  /sha-?\d{1,3}|md5|base-?(?:16|32|58|64|85)|oauth-?2|utf-?(?:8|16)|ipv[46]|hs\d{3}|rs\d{3}|es\d{3}|x509|aes-?\d{3}|(?<![a-z])v1?\d(?![0-9a-z])|u?int\d{1,2}|float\d\d|b(?:32|64)|k8s|i18n|(?<![a-z])(?:[iu](?:8|16|32|64)|s3|d3|h2|ps1|mp[34]|2fa)\b|ec2|http2|p256|ed25519|argon2\w{0,2}|pbkdf2|bcrypt\d?|scrypt|1password|auth0|log4j|web3|neo4j/gi

/** `xxxxxxxxxxxx`: shows what a token looks like. */
export function isFiller(text: string): boolean {
  return /^(.)\1*$|([xX0*.])\2{11,}$/.test(text)
}

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
  return !placeholder.test(text) && !reference.test(text) && !isMember(text) && !isFilePath(text) && !/^\d{1,3}$/.test(text)
}

/** Base64 may begin with a slash too, but is made of no words. */
function isFilePath(text: string): boolean {
  return /^(?:\.{0,2}|~|[A-Z]:)[\\/](?:[\w.-]{1,80}[\\/])/.test(text) && !(text.length >= 40 && isScrambled(text))
}

/** Words without a vowel that are no accident. */
const consonants = /^(?:x?html?|https?|grpc|m?tls|xml|[a-z]{1,2}sql|ctx|cfg|[a-z]{1,3})$/i

/** `config.password`, `session?.accessToken2`: each part is made of words, unlike in `Srjkk09.E0OH15`. */
function isMember(text: string): boolean {
  if (!/^[\w$]{1,80}(?:[?!]?\.[A-Za-z_$][\w$]{0,80}){1,8}[!?]?$/.test(text)) return false
  return text.split('.').every((part) => {
    const plain = part.replaceAll(knownDigits, '')
    if (
      !/^[A-Za-z_$]{0,80}\d{0,2}[!?]?$/.test(plain) ||
      (plain.length > 6 && (isScrambled(plain) || wordsOf(plain).length * 3.4 > plain.length))
    )
      return false
    return wordsOf(plain).every((word) => /^[^aeiouy]{0,3}[aeiouy]/i.test(word) || consonants.test(word))
  })
}

/** A password among other values: letters with a digit, or with a sign that names do not have. */
export function looksChosen(value: string): boolean {
  const text = beginning(value)
  if (!isLiteral(text) || /^[\d.,:_-]{1,40}$/.test(text)) return false
  const rest = text.replaceAll(knownDigits, '')
  if (/\d/.test(rest)) return /[A-Za-z!@#%^&*~]/.test(rest)
  if (text.length >= (/\d/.test(text) ? 8 : 12) && isScrambled(text)) return true
  return /[A-Za-z0-9][!@#%^&*~][A-Za-z0-9!@#%^&*~]/.test(text) && !/^[@#]|\w@\w|\w#\w/.test(text)
}

/** A password in a sentence or a table, where words, versions and addresses are more likely. */
export function looksTold(value: string): boolean {
  const text = beginning(value).replace(/[.,;:?]{1,3}$/, '')
  if (
    text.length < 8 ||
    !looksChosen(text) ||
    isNamed(text) ||
    /^[A-Z][A-Z0-9_]*$|@[\w-]+\.[a-z]{2,}|^[\w.-]+\/[\w.-]+\//.test(text)
  )
    return false
  return (
    text.replaceAll(/\D/g, '').length >= 2 ||
    /[!@#%^&*~]/.test(text) ||
    isScrambled(text) ||
    (/[a-z]/.test(text) && /[A-Z]/.test(text) && looksIssued(text))
  )
}

/** Long, and with a digit or letters of both cases in a mix that no name in code has. */
export function looksIssued(value: string): boolean {
  const text = beginning(value)
  if (text.length < 16 || /\s/.test(text) || !isLiteral(text) || isNamed(text)) return false
  return looksRandom(text.replaceAll(knownDigits, '')) || isScrambled(text)
}

/** Two letters that hardly any word has beside each other. */
const oddPair = /[jqvz](?=[b-df-hj-np-rtv-xz])/gi

/**
 * Letters of both cases in a mix that words do not have: too few are in a word that can be spoken, too many words cannot, or too many
 * pairs of letters are odd.
 */
export function isScrambled(value: string): boolean {
  const text = beginning(value)
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || placeholder.test(text)) return false
  let letters = 0
  let inWords = 0
  let unspoken = 0
  const words = wordsOf(text)
  for (const word of words) {
    letters += word.length
    if (!/[aeiouy]/i.test(word)) unspoken += 1
    else if (word.length >= 3 && !/[^aeiouy]{5}/i.test(word)) inWords += word.length
  }
  const oddPairs = letters < 12 ? 0 : (text.match(oddPair)?.length ?? 0)
  return inWords < letters * 0.6 || oddPairs * 12 > letters || (words.length >= 4 && unspoken * 2 > words.length)
}

/** The case changes more often than in a name of several words. */
export function isChoppy(value: string): boolean {
  const text = beginning(value)
  return text.length >= 16 && wordsOf(text).length * 4 > text.length
}

/** Runs of letters, divided where the case says so: `getHTTPToken2` is `get`, `HTTP`, `Token`. */
function wordsOf(text: string): string[] {
  return text.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).filter((word) => word !== '')
}

/** `user:pass` in base64, as HTTP and Docker put it. */
export function isBasicPair(text: string): boolean {
  if (!/^[A-Za-z0-9+/_-]{4,4000}={0,2}$/.test(text)) return false
  return /^[\x20-\x39\x3b-\x7e]{0,200}:[\x20-\x7e]{1,2000}$/.test(Buffer.from(text, 'base64').toString('latin1'))
}

/** Words joined by `-`, `_`, `.`, `/`, `:` or capitals, at most with short numbers: identifiers, cache keys, versions, image names. */
export function isNamed(text: string): boolean {
  const parts = text.split(/[-_./:@+]|(?<=[a-z]|20\d\d)(?=[A-Z])/)
  if (parts.length < 2) return false
  const named = parts.every((part) => /^(?:[A-Za-z]?[a-z]{1,20}(?:\d{0,2}|20\d\d)|[A-Z]{1,20}\d{0,2}|v?\d{1,8}|)$/.test(part))
  return named && !isScrambled(text)
}
