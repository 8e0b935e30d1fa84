// `service`: its subcommands, flags and examples.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Context } from './context.ts'
import { examples } from './examples.ts'

export function addService(program: Command, context: Context, setStatus: (status: number) => void): void {
  const service = program
    .command('service')
    .description('let the system start the server and keep it (launchd, systemd)')
    .addHelpText(
      'after',
      examples('offshoot service install --project ~/code/todo', 'offshoot service install --dry-run', 'offshoot service status'),
    )
  const load = () => import('./commands/service.ts')
  service
    .command('install')
    .description('write the service, start it, and start it with every login')
    .option('--project <path...>', 'the projects whose sessions it may show (again without: those it has)')
    .addOption(dryRunOption())
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).installService(context, options))
  service
    .command('uninstall')
    .description('stop it and take it away')
    .addOption(dryRunOption())
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).uninstallService(context, options))
  service
    .command('status')
    .description('print whether it is installed and runs (exit status 3: not installed)')
    .option('--json', 'print JSON')
    .action(async (options) => setStatus(await (await load()).showService(context, options)))
  service
    .command('logs')
    .description('print the last it has written')
    .addOption(new Option('-n, --lines <n>', 'how many lines (default 100)').argParser(parseCount))
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).showServiceLogs(context, options))
}

const dryRunOption = () => new Option('--dry-run', 'only print what would be done')

function parseCount(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number.')
  return Number(text)
}
