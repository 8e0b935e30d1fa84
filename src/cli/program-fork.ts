// `fork` and `undo`: their arguments, flags and examples.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type WarningCode, warningCodes } from '../model/fork.ts'
import { agentIds } from '../model/session.ts'
import type { Context } from './context.ts'
import { examples } from './examples.ts'
import { terminalOption } from './terminal-option.ts'

export function addForking(program: Command, context: Context, setStatus: (status: number) => void): void {
  program
    .command('fork')
    .description('make a new session out of any turn of any session; the source is never touched')
    .argument('<address>', 'which session, turn or message; or a worker, which is forked with its settings into one of its own')
    .argument('[name]', 'of a fork of a worker: the name of the new one')
    .option('--at <turn>', 'end with this turn (12, -2, last, an id, m:<message id>); without it you pick one')
    .addOption(new Option('--before <turn>', 'end just before this turn, with its prompt to try again').conflicts('at'))
    .addOption(new Option('--to <agent>', 'go on in this agent').choices(agentIds))
    .addOption(
      new Option('--strategy <strategy>', 'how the conversation is forked').choices([
        'auto',
        'native',
        'prefix',
        'seed',
      ] as const),
    )
    .addOption(
      new Option(
        '--code <state>',
        'which code comes along: as at that turn (the default where it was captured), as it is now, clean HEAD, or no workspace',
      ).choices(['turn', 'now', 'head', 'none'] as const),
    )
    .option('--code-at <turn>', 'the code as another turn left it (12, -2, an id; 0: before the first prompt)')
    .option('--branch <name>', "name of the workspace's branch")
    .option('--title <title>', 'title of the fork')
    .option('--prompt <text>', "the fork's first prompt (-: from stdin); waits in the composer unless --send is given")
    .option('--send', 'send the pending prompt at once')
    .option('--name <worker>', 'name of the worker that --terminal tmux, wezterm, iterm2 or headless opens')
    .option('--allow-cut', 'let a seed shorten the oldest tool outputs where it does not fit')
    .addOption(terminalOption())
    .option('--dry-run', 'print the plan and do nothing')
    .addOption(acceptOption())
    .option('-y, --yes', 'do not ask; accept all warnings but being over the context limit')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'offshoot fork last',
        'offshoot fork claude:60309e1e --at 12',
        'offshoot fork last --before -1 --prompt "Use a plain file instead."',
        'offshoot fork codex:last@3 --to claude',
        'offshoot fork last --at 5 --code-at 3',
        'offshoot fork last@last --code none --terminal print --yes',
        'offshoot fork last --at 2 --dry-run --json',
        'offshoot fork last --at 2 --accept dirty --accept code_now',
        'offshoot fork last --at 7 --terminal tmux --name second-try',
        'offshoot fork calm-otter second-try',
        'offshoot fork worker:calm-otter second-try --at 3',
      ),
    )
    .action(async (address, name, options) =>
      setStatus(await (await import('./commands/fork.ts')).fork(context, address, name, options)),
    )

  program
    .command('undo')
    .description('take back the newest fork, start or restore: its session, workspace and branch go, files come back')
    .argument('[fork]', 'which one, by its id or its session (default: the newest)')
    .option('--force', 'also where work was done since: that work is lost')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot undo', 'offshoot undo claude:60309e1e', 'offshoot undo k3v9x2ma --force'))
    .action(async (fork, options) => (await import('./commands/undo.ts')).undo(context, fork, options))
}

const acceptOption = () =>
  new Option('--accept <code>', 'accept this warning of the plan; repeatable')
    .choices(warningCodes)
    .argParser<readonly WarningCode[]>((code, before = []) => [...before, parseCode(code)])

function parseCode(text: string): WarningCode {
  const code = warningCodes.find((each) => each === text)
  if (code !== undefined) return code
  throw new InvalidArgumentError(`It is one of: ${warningCodes.join(', ')}.`)
}
