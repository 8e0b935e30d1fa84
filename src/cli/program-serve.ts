// `serve`: its flags and examples.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Context } from './context.ts'
import { examples } from './examples.ts'

export function addServe(program: Command, context: Context): void {
  program
    .command('serve')
    .description('serve HTTP and MCP on this machine, until interrupted')
    .addOption(
      new Option('--port <port>', 'the port (0: any that is free; default: the setting server.port)').argParser(parsePort),
    )
    .option('--host <address>', 'the address to listen on (default: the setting server.host)')
    .option('--project <path...>', 'the projects whose sessions it may show (default: the repository one stands in)')
    .option('--allow-remote', 'let --host be an address that other machines reach')
    .addOption(new Option('--service', 'run as a service: no project but the named ones, the token is not printed').hideHelp())
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('offshoot serve', 'offshoot serve --port 0 --json', 'offshoot serve --project ~/code/todo ~/code/blog'),
    )
    .action(async (options) => (await import('./commands/serve.ts')).serve(context, options))
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new InvalidArgumentError('Give a port, 0 to 65535.')
  return port
}
