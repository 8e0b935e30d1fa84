// The choices of the fork dialog, in the order they stand there.

export const forkFields = ['strategy', 'code', 'to', 'title', 'branch', 'prompt', 'send', 'allowCut'] as const
export type ForkField = (typeof forkFields)[number]
