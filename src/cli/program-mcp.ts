// `mcp`: its flags and examples.
import { type Command, Option } from '@commander-js/extra-typings'
import type { Context } from './context.ts'
import { examples } from './examples.ts'

export function addMcp(program: Command, context: Context): void {
  program
    .command('mcp')
    .description('serve MCP over stdin and stdout, for the agent that starts it')
    .addOption(
      new Option('--project <path...>', 'the projects whose sessions it may show (default: the repository it stands in)'),
    )
    .addHelpText(
      'after',
      examples('claude mcp add --scope user offshoot -- offshoot mcp', 'codex mcp add offshoot -- offshoot mcp'),
    )
    .action(async (options) => (await import('./commands/mcp.ts')).runMcp(context, options))
}
