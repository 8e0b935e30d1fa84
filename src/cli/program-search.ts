// `search` and `smart-fork`: their arguments, flags and examples.
import { type Command, type CommanderError, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { AppError } from '../model/error.ts'
import { agentIds } from '../model/session.ts'
import type { SmartForkOptions } from './commands/smart-fork.ts'
import type { Context } from './context.ts'
import { examples } from './examples.ts'

/** After `fork`, whose flags `smart-fork` takes too. */
export function addSearching(program: Command, context: Context, setStatus: (status: number) => void): void {
  program
    .command('search')
    .description('find the session and the turn that hold what you describe, in plain words')
    .argument('[intent...]', 'what you are after; filters: agent: repo: file: branch: model: before: after:')
    .addOption(agentOption())
    .addOption(repoOption())
    .addOption(allOption())
    .addOption(fileOption())
    .addOption(engineOption())
    .addOption(new Option('-n, --limit <n>', 'show at most N sessions (0: all; default: 10)').argParser(parseCount))
    .addOption(scoreOption())
    .option('--explain', 'print where each score comes from')
    .option('-i, --interactive', 'type and see results change; Enter forks')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'offshoot search retry with backoff when the gateway is slow',
        'offshoot search --all "login by mail" agent:claude after:2026-01-01',
        `offshoot search '"magic link" -oauth'`,
        'offshoot search --file src/auth.ts',
        'offshoot search -i',
        'offshoot search due dates --json | jq -r .results[0].turn',
      ),
    )
    .addHelpText(
      'after',
      '\nEvery word may match, none must; "in quotes" must. A -word leaves out: quote the intent, or put -- before it.',
    )
    .exitOverride(explainDash)
    .action(async (intent, options) => setStatus(await (await import('./commands/search.ts')).search(context, intent, options)))

  const smartFork = program
    .command('smart-fork')
    .description('search, choose and fork in one go (all flags of `fork`)')
    .argument('[intent...]', 'what you are after')
    .addOption(agentOption())
    .addOption(repoOption())
    .addOption(allOption())
    .addOption(fileOption())
    .addOption(engineOption())
    .addOption(scoreOption())
    .addHelpText(
      'after',
      examples(
        'offshoot smart-fork retry with backoff',
        'offshoot smart-fork "due dates in plain words" --yes --terminal print',
        'offshoot smart-fork due dates --to codex --dry-run',
      ),
    )
    .addHelpText(
      'after',
      '\nWithout a terminal, --yes takes the best one if it is clearly ahead; else the candidates are listed (exit 4).',
    )
    .exitOverride(explainDash)
    .action(async (intent, options) =>
      setStatus(await (await import('./commands/smart-fork.ts')).smartFork(context, intent, options as SmartForkOptions)),
    )
  for (const option of program.commands.find((one) => one.name() === 'fork')?.options ?? []) smartFork.addOption(option)
}

const agentOption = () => new Option('-a, --agent <agent>', 'only sessions of this agent').choices(agentIds)
const repoOption = () => new Option('--repo <path>', 'only sessions of the repository at this path')
const allOption = () => new Option('--all', 'sessions of every repository and folder').conflicts('repo')
const fileOption = () => new Option('--file <path>', 'only sessions that read or edited this file')
const engineOption = () =>
  new Option('--engine <engine>', 'which engine answers (default: the setting search.engine)').choices([
    'builtin',
    'qmd',
  ] as const)
const scoreOption = () => new Option('--min-score <score>', 'leave out what scores less (0 to 1)').argParser(parseScore)

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number, 0 or more.')
  return Number(text)
}

function parseScore(text: string): number {
  const score = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(score >= 0 && score <= 1)) throw new InvalidArgumentError('Give a number from 0 to 1.')
  return score
}

/** `-oauth` leaves a word out of a search, but on a command line it is a flag. */
function explainDash(error: CommanderError): never {
  const flag = error.code === 'commander.unknownOption' ? /'(-[^-'][^']*)'/.exec(error.message)?.[1] : undefined
  if (flag === undefined) throw error
  throw new AppError('usage', `unknown option '${flag}'`, {
    hint: `To leave a word out, quote the intent ('login ${flag}') or put -- before it.`,
  })
}
