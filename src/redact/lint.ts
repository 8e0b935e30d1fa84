// secretlint's recommended rules over one text. Loaded only when a text needs it (35 ms).
import { lintSource } from '@secretlint/core'
import { secretLintProfiler } from '@secretlint/profiler'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import { isFiller } from './values.ts'

// It measures itself, and leaves 36 entries with each text: a server would keep them all.
secretLintProfiler.mark = () => undefined

const config = {
  rules: [
    {
      id: '@secretlint/secretlint-rule-preset-recommend',
      rule: creator,
      // A comment in a transcript must not be able to switch redaction off.
      rules: [{ id: '@secretlint/secretlint-rule-filter-comments', disabled: true }],
    },
  ],
}

export async function lintOut(text: string): Promise<string> {
  const { messages } = await lintSource({
    source: { filePath: 'text', content: text, contentType: 'text', ext: '.txt' },
    options: { config, noPhysicFilePath: true },
  })
  let clean = text
  let end = text.length
  for (const { range, ruleId } of [...messages].sort((one, other) => other.range[1] - one.range[1])) {
    const [from, to] = range
    // Overlapping finds, and what our own rules already took out of a longer find (the password of a URL), and fillers.
    if (to > end || text.slice(from, to).includes('[redacted:') || isFiller(text.slice(from, to))) continue
    clean = `${clean.slice(0, from)}[redacted:${ruleId.replace(/^.*secretlint-rule-/, '')}]${clean.slice(to)}`
    end = from
  }
  return clean
}
