// The verbs on captured code: `start`, `diff`, `restore`, `gc`; their arguments, flags and examples.
import { Argument, type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { agentIds } from '../model/session.ts'
import type { StartOptions } from './commands/start.ts'
import type { Context } from './context.ts'
import { examples } from './examples.ts'
import { workerOptions } from './program-workers.ts'
import { terminalOption } from './terminal-option.ts'

export function addCode(program: Command, context: Context, setStatus: (status: number) => void): void {
  const start = program
    .command('start')
    .description(
      'start an agent in a workspace of its own, each of its turns captured: here, or as a worker in a pane or headless',
    )
    .addArgument(new Argument('<agent>', 'which agent').choices(agentIds))
    .argument('[prompt]', 'its first prompt (-: from stdin)')
    .option('--push [remote]', "push the workspace's branch after each turn, in the background (default: origin)")
    .option('--branch <name>', "name of the workspace's branch")
    .addOption(
      new Option('--code <state>', 'what the workspace holds: clean HEAD, or the work tree as it is now')
        .choices(['head', 'now'] as const)
        .default('head' as const),
    )
    .option('--title <title>', 'title of the session')
    .addOption(terminalOption())
    .option('--dry-run', 'print what would be done and do nothing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'offshoot start claude',
        'offshoot start codex "Write tests for the parser."',
        'offshoot start claude --code now --branch try/cache --push',
        'offshoot start claude "Fix the flaky test." --terminal tmux --name fixer',
        'offshoot start codex "Write the changelog." --headless --policy accept_edits',
        'offshoot start claude --terminal tmux --command "my-wrapper claude --verbose"',
      ),
    )
    .action(async (agent, prompt, options) =>
      setStatus(await (await import('./commands/start.ts')).startSession(context, agent, prompt, options as StartOptions)),
    )
  for (const option of workerOptions) start.addOption(option)

  program
    .command('diff')
    .description('show the code between two turns or forks, or what one turn changed')
    .argument('<address>', 'a turn, a session (its last captured turn), <session>@0, or now')
    .argument('[other]', 'the other side; without it: what that turn changed')
    .argument('[paths...]', 'after --: only these files or folders')
    .addOption(new Option('--stat', 'changed lines per file only').conflicts('nameOnly'))
    .option('--name-only', 'names of the files only')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'offshoot diff last@3',
        'offshoot diff last@3 last@7 --stat',
        'offshoot diff claude:60309e1e codex:019a8513 -- src',
        'offshoot diff last@-2 now',
      ),
    )
    .action(async (address, other, paths, options, command) => {
      const given = [...(other === undefined ? [] : [other]), ...paths]
      const behind = countBehindDashes(command)
      const asked = { address, others: given.slice(0, given.length - behind), paths: given.slice(given.length - behind) }
      await (await import('./commands/diff.ts')).showDiff(context, asked, options)
    })

  program
    .command('restore')
    .description('bring files back as they were at the end of a turn; `undo` takes it back')
    .argument('<address>', 'which turn, or <session>@0')
    .argument('[paths...]', 'only these files or folders (default: what the session changed after that turn)')
    .option('--all', 'everything that differs, whoever changed it')
    .option('--dry-run', 'print what would be changed and do nothing')
    .option('-y, --yes', 'do not ask')
    .option('--force', 'also while an agent is at work in that work tree')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('offshoot restore last@3', 'offshoot restore last@3 src/auth.ts --yes', 'offshoot restore last@0 --all --dry-run'),
    )
    .action(async (address, paths, options) =>
      (await import('./commands/restore.ts')).restoreCode(context, address, paths, options),
    )

  program
    .command('gc')
    .description('clear away workspaces and snapshots of this repository that nobody needs; never work that is not merged')
    .option('--all', 'of every repository, not only this one')
    .option('--dry-run', 'print what would go and do nothing')
    .option('--force', 'also workspaces with uncommitted, unpushed or unmerged work')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot gc --dry-run', 'offshoot gc', 'offshoot gc --all --dry-run'))
    .action(async (options) => (await import('./commands/gc.ts')).collectGarbage(context, options))
}

/** commander tells the words behind `--` from those before it nowhere but in what it was given. */
function countBehindDashes(command: CommandUnknownOpts): number {
  const { rawArgs } = (command.parent ?? command) as { readonly rawArgs?: readonly string[] }
  const dashes = rawArgs?.indexOf('--') ?? -1
  return rawArgs === undefined || dashes === -1 ? 0 : rawArgs.length - dashes - 1
}
