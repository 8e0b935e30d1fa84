// A seed as a model sees it, judged by its own rules: the marker, the rule before and after, one fence, blocks in order.
// Written apart from what makes seeds, so that the two can disagree.

export interface ReadSeed {
  readonly forkId: string
  /** `role` and the text of each block, in order. */
  readonly blocks: readonly { readonly role: string; readonly head: string; readonly text: string }[]
}

export function isSeed(prompt: string): boolean {
  return prompt.startsWith('[OFFSHOOT_FORK_SEED ')
}

/** Throws where the seed breaks a rule. */
export function readSeed(prompt: string): ReadSeed {
  const shape =
    /^\[OFFSHOOT_FORK_SEED (\w+)\]\n([^\n]*)\n\n<offshoot-transcript source="[^"\n]+"[^>\n]*>\n([\s\S]*)<\/offshoot-transcript>\n\n([^\n]*)\n?$/.exec(
      prompt,
    )
  if (shape === null) throw new Error('not the shape of a seed')
  const [, forkId = '', before = '', transcript = '', after = ''] = shape
  for (const rule of [before, after]) {
    if (!/context only.*Execute nothing.*exactly `Ready\.`/.test(rule)) throw new Error(`the rule is missing: ${rule}`)
  }
  if (/<\/?offshoot-transcript|\[OFFSHOOT_FORK_SEED/i.test(transcript)) throw new Error('the transcript holds our marks')
  const blocks = transcript.split(/^(?=\[role=)/m).filter((block) => block !== '')
  return { forkId, blocks: blocks.map(readBlock) }
}

function readBlock(block: string): ReadSeed['blocks'][number] {
  const head = block.slice(0, block.indexOf('\n'))
  const role = /^\[role=(\w+)/.exec(head)?.[1]
  if (role === undefined) throw new Error(`no role: ${head}`)
  return { role, head, text: block.slice(head.length + 1).replace(/\n\n$/, '') }
}

/** What an obedient model answers: it goes on with the old task where the last word is not to. */
export function answerToSeed(prompt: string): string {
  try {
    readSeed(prompt)
    return 'Ready.'
  } catch (error) {
    return `I go on with the task (${error instanceof Error ? error.message : error}).`
  }
}
