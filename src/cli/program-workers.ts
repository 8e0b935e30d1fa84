// The verbs on running agents: `workers`, `send`, `interrupt`, `answer`, `attach`, `stop`; their arguments, flags and examples.
import { Argument, type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { GivenAnswer } from './commands/answer.ts'
import type { Context } from './context.ts'
import { examples } from './examples.ts'

const verdicts = ['allow', 'allow_session', 'deny', 'abort'] as const

export function addWorkers(program: Command, context: Context, setStatus: (status: number) => void): void {
  /** Of both options: which question an answer is to is told by their common order. */
  const given: GivenAnswer[] = []
  const take = (kind: GivenAnswer['kind']) => (text: string) => {
    given.push({ kind, text })
    return text
  }

  program
    .command('workers')
    .description('list the agents offshoot runs, in panes and headless, and what each is doing')
    .option('--all', 'those that have ended too')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot workers', 'offshoot workers --all --json | jq -r .workers[].session_id'))
    .action(async (options) => (await import('./commands/workers.ts')).listWorkers(context, options))

  program
    .command('send')
    .description('give a worker a prompt and print its answer; never while it waits for a permission')
    .argument('<worker>', 'which worker: its name, its id or its session')
    .argument('<text>', 'the prompt (-: from stdin; begins with a dash: put -- before it)')
    .option('--no-wait', 'only until the agent has taken it (a headless one: by the running `offshoot serve`)')
    .addOption(
      new Option(
        '--timeout <seconds>',
        'wait this long for the answer (default: the setting workers.response_timeout)',
      ).argParser(parseSeconds),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'offshoot send calm-otter "Now write the tests."',
        'git diff | offshoot send calm-otter -',
        'offshoot send calm-otter "Go on." --no-wait',
        'offshoot send calm-otter "Run all tests." --timeout 3600',
      ),
    )
    .addHelpText(
      'after',
      '\nCtrl-C interrupts the answer; the worker stays. So does running out of time, where this command runs the turn itself:\n' +
        'in a pane, or held by `offshoot serve`, the turn goes on.',
    )
    .action(async (worker, text, options) =>
      setStatus(await (await import('./commands/send.ts')).sendPrompt(context, worker, text, options)),
    )

  program
    .command('interrupt')
    .description('end the turn a worker is at; the worker stays')
    .argument('<worker>', 'which worker')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot interrupt calm-otter'))
    .action(async (worker, options) => (await import('./commands/interrupt.ts')).interruptWorker(context, worker, options))

  program
    .command('answer')
    .description('say yes or no to what a headless worker asks, or answer its questions')
    .argument('<worker>', 'which worker')
    .addArgument(new Argument('[decision]', 'allow_session: also from now on; abort: no, and end the turn').choices(verdicts))
    .option('--choose <option>', 'an option of a question, by name or number (several: with commas)', take('choose'))
    .option('--text <words>', 'an answer in your own words', take('text'))
    .option('--reason <text>', 'told to the agent with a no')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'offshoot answer calm-otter allow',
        'offshoot answer calm-otter deny --reason "Use npm."',
        'offshoot answer calm-otter --choose Postgres',
        'offshoot answer calm-otter --choose 2 --text "Only the tests, please."',
      ),
    )
    .addHelpText(
      'after',
      '\nEach question takes one --choose or --text, in the order asked. On a terminal, leave all out to be asked.',
    )
    .action(async (worker, decision, { reason, json }) =>
      (await import('./commands/answer.ts')).answerWorker(context, worker, decision, { answers: given, reason, json }),
    )

  program
    .command('attach')
    .description("bring a worker's pane before you")
    .argument('<worker>', 'which worker')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot attach calm-otter'))
    .action(async (worker, options) =>
      setStatus(await (await import('./commands/attach.ts')).attachWorker(context, worker, options)),
    )

  program
    .command('stop')
    .description('end workers; their sessions stay and can be resumed or forked')
    .argument('<worker...>', 'which workers')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot stop calm-otter', 'offshoot stop calm-otter keen-wren'))
    .action(async (workers, options) => (await import('./commands/stop.ts')).stopWorkers(context, workers, options))
}

/** What `start` takes of a worker besides where it opens. */
export const workerOptions = [
  new Option('--name <worker>', 'name of the worker (default: a friendly one)'),
  new Option('--headless', 'run it without a terminal; its answers come through `offshoot send`'),
  new Option('--command <line>', 'a command of your own instead of the agent, run by your shell in the pane'),
  new Option('--model <model>', 'the model it uses'),
  new Option('--env <name=value...>', 'variables set for it (a proxy URL, say); kept privately, never shown').argParser(
    collectVariables,
  ),
  new Option('--mcp-config <file>', 'a file of MCP servers for it, in the format of Claude Code'),
  new Option('--policy <policy>', 'who answers when it asks for a permission (default: the setting workers.policy)').choices([
    'ask',
    'accept_edits',
    'allow_list',
    'deny',
  ] as const),
  new Option('--allow <tool...>', 'tools of policy allow_list, as in "Bash(git log:*)" (Codex: headless only)'),
  new Option('--history', 'keep a private log of what is sent and answered'),
] as const

function parseSeconds(text: string): number {
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('Give a number of seconds.')
  return Number(text)
}

function collectVariables(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Give NAME=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}
