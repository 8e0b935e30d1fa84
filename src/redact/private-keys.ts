// Private keys, whole or in part, as files, listings and diffs show them.
import { newLine } from './patterns.ts'
import type { Rule } from './scan.ts'
import { looksRandom } from './values.ts'

export const privateKeys: readonly Rule[] = [
  {
    kind: 'private-key',
    signs: ['BEGIN '],
    pattern:
      /(?<=(?<head>-----))BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?=(?:[\s"'`+>#|,*/→-]|\\[rnt]|\d{1,6}(?=[→\t])|(?<=\n)(?:[\w./-]{1,100}[:-])?\d{1,6}[:-]){0,60}(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]{3,20}: ))(?:(?:(?!-----BEGIN)[\s\S]){0,20000}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:(?<=\n)(?:[\w./-]{1,100}[:-])?\d{1,6}[:-]|[A-Za-z0-9+/=\\\s→]){0,20000})/y,
  },
  // The rest of one whose first lines were not printed.
  {
    kind: 'private-key',
    signs: ['END '],
    pattern: new RegExp(
      `(?<=(?<head>(?:[A-Za-z0-9+/=]{16,100}${newLine}[ \\t]{0,8}){1,200}(?:[A-Za-z0-9+/=]{1,100}${newLine}[ \\t]{0,8})?-----))END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----`,
      'y',
    ),
  },
  {
    kind: 'private-key',
    signs: ['Private-Lines:'],
    pattern: /(?<before>Private-Lines: \d{1,4}(?:\r?\n|\\n))[A-Za-z0-9+/=\\\r\n]{40,20000}/y,
  },
  // WireGuard
  {
    kind: 'private-key',
    signs: ['privatekey', 'presharedkey'],
    pattern: /(?<before>(?:PrivateKey|PresharedKey)\s{0,4}=\s{0,4})[A-Za-z0-9+/]{43}=/iy,
  },
  // The private part of a JSON Web Key.
  {
    kind: 'private-key',
    signs: ['"d"', '"d\\'],
    pattern: /(?<before>"d\\?"\s{0,4}:\s{0,4}\\?")[\w-]{40,800}(?<after>\\?")/y,
    accept: looksRandom,
  },
  // A symmetric one.
  {
    kind: 'private-key',
    signs: ['"k"'],
    pattern:
      /(?<before>"k"\s{0,4}:\s{0,4}")[\w-]{16,800}(?<after>")(?=[^{}]{0,400}"kty"\s{0,4}:\s{0,4}"oct"|(?<="kty"\s{0,4}:\s{0,4}"oct"[^{}]{0,1200}))/y,
  },
  { kind: 'private-key', signs: ['AGE-SECRET-KEY-1'], atEdge: true, pattern: /AGE-SECRET-KEY-1[0-9A-Z]{58}(?![A-Za-z0-9])/y },
  // A wallet's key as BIP 32 writes it: of Bitcoin, of its test network, and of the later address formats.
  {
    kind: 'private-key',
    signs: ['xprv', 'tprv', 'yprv', 'zprv'],
    atEdge: true,
    pattern: /[xtyz]prv[1-9A-HJ-NP-Za-km-z]{107,108}(?![A-Za-z0-9])/y,
  },
]
