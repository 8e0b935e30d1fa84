// Every command: its arguments, flags and examples. What a command does is in commands/ and is loaded when it runs.
import { Argument, Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { AppError } from '../model/error.ts'
import { agentIds } from '../model/session.ts'
import type { Context } from './context.ts'
import { examples } from './examples.ts'
import { addCode } from './program-code.ts'
import { addForking } from './program-fork.ts'
import { addHooks } from './program-hooks.ts'
import { addIndex } from './program-index.ts'
import { addMcp } from './program-mcp.ts'
import { addSearching } from './program-search.ts'
import { addServe } from './program-serve.ts'
import { addService } from './program-service.ts'
import { addToken } from './program-token.ts'
import { addWorkers } from './program-workers.ts'
import { readVersion } from './version.ts'

/** `setStatus` is for a command that did its work and still has bad news, such as `doctor`. */
export function createProgram(context: Context, setStatus: (status: number) => void) {
  const program = new Command('offshoot')
    .description('Turns every turn of every coding-agent session into a place to branch.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    // Read by run-command.ts, which opens the terminal UI: here it is for the help, and refused with a command.
    .option('--plain', 'alone: the terminal UI in plain lines, for screen readers')
    .hook('preAction', (root) => {
      if (root.opts().plain === true) throw new AppError('usage', '--plain stands alone: it opens the terminal UI.')
    })
    .helpCommand('help [command]', 'print help for a command')
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.out.write(text),
      writeErr: () => undefined, // run-command.ts reports faults, once and in one form
    })
    .addHelpText(
      'after',
      examples('offshoot sessions', 'offshoot show last', 'offshoot fork last', 'offshoot demo') +
        '\n\nAn address names a session or a turn: claude:60309e1e, codex:last, last@-2, 60309e1e@12.',
    )

  program
    .command('sessions')
    .description('list sessions, newest first (in a repository: its own)')
    .addOption(agentOption())
    .addOption(repoOption())
    .addOption(allOption())
    .addOption(limitOption('show at most N sessions (0: all)'))
    .option('--after <address>', 'go on behind this session (`next` of the page before)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot sessions --all --agent codex', 'offshoot sessions --json | jq -r .sessions[].id'))
    .action(async (options) => (await import('./commands/sessions.ts')).listSessions(context, options))

  program
    .command('show')
    .description('read a session, or one turn or message of it')
    .argument('<address>', 'which session, turn or message')
    .addOption(new Option('--json', 'print JSON').conflicts(['markdown', 'raw']))
    .addOption(new Option('--markdown', 'print Markdown').conflicts(['raw']))
    .option('--tools', 'print tool calls (arguments and output) and system messages in full')
    .option('--raw', "print the agent's own lines")
    .addHelpText(
      'after',
      examples('offshoot show last', 'offshoot show claude:60309e1e@3 --tools', 'offshoot show last@-1 --markdown'),
    )
    .action(async (address, options) => (await import('./commands/show.ts')).showSession(context, address, options))

  program
    .command('turns')
    .description('list the turns of a session: the places to fork')
    .argument('<session>', 'which session')
    .option('--dead', 'also the turns of dead branches (rewound or abandoned)')
    .addOption(new Option('--all-branches', 'the same as --dead').implies({ dead: true }))
    .addOption(limitOption('show the last N turns only (0: all)'))
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot turns last', 'offshoot turns claude:60309e1e --dead'))
    .action(async (session, options) => (await import('./commands/turns.ts')).listTurns(context, session, options))

  addForking(program, context, setStatus)
  addCode(program, context, setStatus)
  addWorkers(program, context, setStatus)
  addHooks(program, context, setStatus)

  program
    .command('tree')
    .description('draw how sessions descend from each other')
    .argument('[session]', 'only the lineage of this session')
    .addOption(agentOption())
    .addOption(repoOption())
    .addOption(allOption())
    .addOption(limitOption('draw at most N trees (0: all)'))
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot tree', 'offshoot tree codex:last --json'))
    .action(async (session, options) => (await import('./commands/tree.ts')).drawTree(context, session, options))

  addSearching(program, context, setStatus)

  program
    .command('export')
    .description('write a session as a document, secrets redacted')
    .argument('<session>', 'which session')
    .addOption(
      new Option('-f, --format <format>', 'document format')
        .choices(['markdown', 'json', 'html'] as const)
        .default('markdown' as const),
    )
    .option('-o, --output <file>', 'write to this file instead of stdout')
    .option('--force', 'overwrite the file')
    .option('--no-redact', 'leave secrets in')
    .option('--json', 'print errors as JSON')
    .addHelpText(
      'after',
      examples('offshoot export last -o session.md', 'offshoot export codex:last --format html -o session.html'),
    )
    .action(async (session, options) => (await import('./commands/export.ts')).exportSession(context, session, options))

  program
    .command('doctor')
    .description('check everything offshoot depends on, and say how to mend it')
    .option('--fix', 'mend what can be mended without asking')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot doctor', 'offshoot doctor --fix'))
    .action(async (options) => setStatus(await (await import('./commands/doctor.ts')).runDoctor(context, options)))

  addConfig(program, context)

  program
    .command('completion')
    .description('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish'] as const))
    .addHelpText(
      'after',
      examples('source <(offshoot completion bash)', 'offshoot completion fish > ~/.config/fish/completions/offshoot.fish'),
    )
    .action(async (shell) => (await import('./commands/completion.ts')).printCompletion(context, shell))

  program
    .command('demo')
    .description('walk through offshoot in a sandbox, with sample sessions of both agents')
    .option('--keep', 'leave the sandbox there to play with')
    .addHelpText('after', examples('offshoot demo', 'offshoot demo --keep'))
    .action(async (options) => (await import('./commands/demo.ts')).runDemo(context, options))

  addIndex(program, context)
  addServe(program, context)
  addToken(program, context)
  addService(program, context, setStatus)
  addMcp(program, context)

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words) => (await import('./commands/complete.ts')).printCandidates(context, program, words))

  return program
}

function addConfig(program: Command, context: Context): void {
  const config = program.command('config').description('read and change settings')
  config.addHelpText('after', examples('offshoot config list', 'offshoot config set list.limit 100'))
  const load = () => import('./commands/config.ts')
  config
    .command('get')
    .description('print one setting')
    .argument('<key>', 'which setting')
    .option('--json', 'print JSON')
    .action(async (key, options) => (await load()).getSetting(context, key, options))
  config
    .command('set')
    .description('change one setting')
    .argument('<key>', 'which setting')
    .argument('<value>', 'its new value')
    .option('--json', 'print JSON')
    .action(async (key, value, options) => (await load()).setSetting(context, key, value, options))
  config
    .command('list')
    .description('print every setting, its value and where that comes from')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listSettings(context, options))
  config
    .command('path')
    .description('print where the config file is')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).printConfigPath(context, options))
}

const agentOption = () => new Option('-a, --agent <agent>', 'only sessions of this agent').choices(agentIds)
const repoOption = () => new Option('--repo <path>', 'only sessions of the repository at this path')
const allOption = () => new Option('--all', 'sessions of every repository and folder').conflicts('repo')
const limitOption = (text: string) => new Option('-n, --limit <n>', text).argParser(parseCount)

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number, 0 or more.')
  return Number(text)
}
