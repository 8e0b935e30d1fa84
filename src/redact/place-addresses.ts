// Secrets in addresses and connection strings.
import type { Rule } from './scan.ts'
import { isLiteral, looksIssued, looksRandom } from './values.ts'

export const addresses: readonly Rule[] = [
  {
    kind: 'password',
    signs: ['://'],
    pattern: /(?<before>:\/\/[^\s:/@"'<>`\\]{0,128}:)[^\s/@"'<>`]{1,256}(?<after>@)/y,
    accept: isLiteral,
  },
  {
    kind: 'url-token',
    signs: ['://'],
    // The password behind it may be empty, a filler, or taken out already.
    pattern:
      /(?<before>:\/\/)[\w.~%+-]{16,400}(?<after>(?::(?:\[redacted:[\w-]{1,40}\]|[^\s/@"'<>`[\]]{0,256}))?@[\w.-]{1,200})/y,
    accept: looksIssued,
  },
  {
    kind: 'url-token',
    signs: [
      'token=',
      'token_hash=',
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
      /(?<before>(?<=[?&#;](?:amp;)?[\w.-]{0,40})(?:token(?:_hash)?|key|sig|signature|secret|jwt|auth|hmac|sas|code)=)[^\s"'`&#<>\\,;(){}[\]|]{8,4000}/iy,
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
  // Go's notation for MySQL, and Oracle's.
  {
    kind: 'password',
    signs: ['@tcp(', '@unix('],
    pattern: /(?<=(?<![\w.-])[\w.-]{1,64}:(?<head>[^\s:/@"'<>`]{4,128}))(?=@(?:tcp|unix)\()/y,
    accept: isLiteral,
  },
  {
    kind: 'password',
    signs: ['jdbc:oracle'],
    pattern: /(?<before>jdbc:oracle:\w{1,10}:[\w$#]{1,40}\/)[^\s/@"'<>`]{4,128}(?<after>@)/y,
    accept: isLiteral,
  },
  // Tokens that are a part of the path.
  {
    kind: 'url-token',
    signs: ['/t/', '/receiver/v1/http/', '/magic', '/reset', '/verify', '/invite', '/confirm'],
    pattern:
      /(?<before>(?<=:\/\/[^\s"'<>]{1,300})\/(?:(?<=conda[^\s]{0,100}\/)t|receiver\/v1\/http|magic(?:-?links?)?|reset(?:-?password)?|verify(?:-?email)?|invites?|confirm)\/)(?:[\w+=%.~-]|(?<=\/http\/[\w+/=%-]{0,400})\/){20,400}/y,
    accept: (secret) => looksIssued(secret) && !isSlug(secret),
  },
  // Webhooks: who knows the address may post.
  {
    kind: 'webhook',
    signs: ['hooks.zapier.com/hooks/catch/'],
    pattern: /(?<before>hooks\.zapier\.com\/hooks\/catch\/)\d{4,12}\/\w{5,40}/y,
  },
  {
    kind: 'webhook',
    signs: ['.make.com/', '.integromat.com/'],
    pattern: /(?<before>(?<=:\/\/hook\.[a-z0-9]{2,6})\.(?:make|integromat)\.com\/)[a-z0-9]{20,60}(?![\w-])/y,
  },
  {
    kind: 'webhook',
    signs: ['/hooks/'],
    pattern: /(?<before>(?<=:\/\/[^\s"'<>/]{1,200})\/hooks\/)[a-z0-9]{26}(?![\w-])/y,
    accept: looksRandom,
  },
  // A query inside a query.
  {
    kind: 'url-token',
    signs: ['token%3D', 'key%3D', 'secret%3D', 'password%3D', 'sig%3D', 'signature%3D', 'code%3D'],
    pattern: /(?<before>(?:token|key|secret|password|sig|signature|code)%3D)(?:[\w.~+-]|%(?!26)[0-9A-F]{2}){8,2000}/iy,
    accept: (secret) => secret.length >= 12 && looksRandom(secret) && isLiteral(secret),
  },
]

/** The title of a page in its address. */
function isSlug(text: string): boolean {
  return /^[a-z]{2,20}(?:-[a-z0-9]{1,20}){3,40}$/.test(text) && !/^[0-9a-f-]{36}$/.test(text)
}
