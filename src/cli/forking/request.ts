// From flags to a request: what cannot be done is refused in words, never left out.
import { parseAddress } from '../../model/address.ts'
import { AppError } from '../../model/error.ts'
import type { CodeMode, ForkRequest, Strategy, TerminalChoice, WarningCode } from '../../model/fork.ts'
import type { AgentId } from '../../model/session.ts'
import type { Context } from '../context.ts'

export interface ForkOptions {
  readonly at?: string | undefined
  readonly before?: string | undefined
  readonly to?: AgentId | undefined
  readonly strategy?: 'auto' | Strategy | undefined
  readonly code?: CodeMode | undefined
  readonly codeAt?: string | undefined
  readonly branch?: string | undefined
  readonly title?: string | undefined
  readonly prompt?: string | undefined
  readonly send?: true | undefined
  readonly name?: string | undefined
  readonly allowCut?: true | undefined
  readonly accept?: readonly WarningCode[] | undefined
  readonly terminal?: TerminalChoice | undefined
  readonly dryRun?: true | undefined
  readonly yes?: true | undefined
  readonly json?: true | undefined
}

const longestPromptBytes = 32 << 20

export function refuseOptions({ terminal, json }: Pick<ForkOptions, 'terminal' | 'json'>, hasTerminal: boolean): void {
  if (terminal !== 'here') return
  if (json === true) throw new AppError('usage', '--json prints one document; it does not go with --terminal here.')
  if (!hasTerminal) throw new AppError('usage', '--terminal here needs a terminal.', { hint: 'Use --terminal print or none.' })
}

/** True where the address itself or a flag says which turn. */
export function namesTurn(address: string, { at, before }: ForkOptions): boolean {
  return at !== undefined || before !== undefined || parseAddress(address).turn !== null
}

export async function requestOf(context: Context, address: string, options: ForkOptions): Promise<ForkRequest> {
  const { at, before, to, strategy, code, codeAt, branch, title, send, allowCut, terminal } = options
  const prompt = await promptOf(context, options.prompt)
  const given = { at, before, to, strategy, code, codeAt, branch, title, prompt, send, allowCut, terminal }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { address, ...Object.fromEntries(set) }
}

/** A prompt as it was given; `-`: what is piped in. */
export async function promptOf<Given extends string | undefined>(context: Context, given: Given): Promise<Given | string> {
  const prompt = given === '-' ? await readPrompt(context) : given
  if (prompt?.trim() === '') throw new AppError('usage', 'The prompt is empty.')
  return prompt
}

async function readPrompt(context: Context): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of context.stdin()) {
    const buffer = Buffer.from(chunk)
    chunks.push(buffer)
    bytes += buffer.length
    if (bytes > longestPromptBytes) throw new AppError('usage', 'The prompt on stdin is longer than 32 MB.')
  }
  return Buffer.concat(chunks).toString('utf8').replace(/\n$/, '')
}
