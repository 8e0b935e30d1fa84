// The choices of the fork dialog, in the order they stand there.

export const forkFields = ['strategy', 'code', 'to', 'title', 'branch', 'prompt', 'send', 'allowCut'] as const
export type ForkField = (typeof forkFields)[number]

export const forkFieldLabels: Readonly<Record<ForkField, string>> = {
  strategy: 'way',
  code: 'code',
  to: 'agent',
  title: 'title',
  branch: 'branch',
  prompt: 'first prompt',
  send: 'send it',
  allowCut: 'may shorten',
}
