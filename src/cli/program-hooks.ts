// `hooks`: its subcommands, flags and examples.
import { type Command, Option } from '@commander-js/extra-typings'
import { agentIds } from '../model/session.ts'
import type { Context } from './context.ts'
import { examples } from './examples.ts'

export function addHooks(program: Command, context: Context, setStatus: (status: number) => void): void {
  const hooks = program
    .command('hooks')
    .description("have agents tell offshoot of their turns, so that the code of each is captured (the agents' own hooks)")
    .addHelpText(
      'after',
      examples('offshoot hooks install', 'offshoot hooks install --agent claude --project', 'offshoot hooks status'),
    )
  const load = () => import('./commands/hooks.ts')
  hooks
    .command('install')
    .description("add our hooks to the agents' settings; what stands there stays as it is")
    .addOption(agentOption())
    .addOption(projectOption())
    .option('--json', 'print JSON')
    .action(async (options) => setStatus(await (await load()).installHooks(context, options)))
  hooks
    .command('uninstall')
    .description('take exactly our hooks out again')
    .addOption(agentOption())
    .addOption(projectOption())
    .option('--json', 'print JSON')
    .action(async (options) => setStatus(await (await load()).uninstallHooks(context, options)))
  hooks
    .command('status')
    .description('print whether our hooks are installed and run')
    .addOption(agentOption())
    .addOption(projectOption())
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).showHooks(context, options))
}

const agentOption = () => new Option('-a, --agent <agent>', 'only this agent').choices(agentIds)
const projectOption = () => new Option('--project', 'for the project one stands in only')
