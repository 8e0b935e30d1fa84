// Secrets that code hands to a function, and defaults of variables whose name says secret.
import { pattern, quoted, stringPrefix } from './patterns.ts'
import type { Rule } from './scan.ts'
import { isLiteral, looksChosen } from './values.ts'

export const calls: readonly Rule[] = [
  {
    kind: 'secret',
    signs: ['jwt.sign', 'jwt.verify', 'jwt.encode', 'jwt.decode'],
    pattern: pattern(
      `(?<before>jwt\\.(?:sign|verify|encode|decode)\\([^\\n]{1,200}?,\\s{0,20}${stringPrefix})${quoted(6)}(?=\\s{0,20}[,)])`,
    ),
    accept: (secret) => isLiteral(secret) && !/\s|^[A-Z]{2}\d{3}$/.test(secret),
  },
  // The clients of mail and FTP.
  {
    kind: 'password',
    signs: ['.login('],
    pattern: pattern(
      `(?<before>\\.login\\([^\\s(),][^\\n(),]{0,100},\\s{0,20}(?:password\\s{0,2}=\\s{0,2})?)${quoted(6)}(?=\\s{0,20}\\))`,
    ),
    accept: (secret) => !/\s/.test(secret) && looksChosen(secret),
  },
  // Terraform
  {
    kind: 'secret',
    signs: ['default'],
    pattern: pattern(
      `(?<before>default\\s{1,8}=\\s{1,4}(?<=variable\\s"[\\w-]{0,60}(?:password|passwd|secret|token|api_?key|private_key)[\\w-]{0,20}"\\s{0,4}\\{[^{}]{0,400}))${quoted(6)}`,
    ),
    accept: (secret) => !/\s/.test(secret) && looksChosen(secret),
  },
]
