// `token`: its subcommands, flags and examples.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { scopes } from '../model/scope.ts'
import type { Context } from './context.ts'
import { examples } from './examples.ts'

export function addToken(program: Command, context: Context): void {
  const token = program
    .command('token')
    .description('create, list and revoke tokens that may do less than your own at the server')
    .addHelpText(
      'after',
      examples('offshoot token create --scope read --name dashboard', 'offshoot token list', 'offshoot token revoke dashboard'),
    )
  const load = () => import('./commands/token.ts')
  token
    .command('create')
    .description('create a token; its secret is shown once')
    .addOption(
      new Option('--scope <scope>', 'what it may do: read; fork (also fork, and dry runs); run (also let agents work)')
        .choices(scopes)
        .makeOptionMandatory(),
    )
    .option('--project <path...>', 'only these projects, of those the server opens (default: all of them)')
    .option('--expires <when>', '12h, 30d, 4w, a date such as 2027-01-31, or never', '30d')
    .addOption(new Option('--name <name>', 'its name in `token list` (default: made from the scope)').argParser(parseName))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'offshoot token create --scope read --name dashboard',
        'offshoot token create --scope fork --project ~/code/todo --expires 12h',
        'offshoot token create --scope run --expires never --name ci --json | jq -r .secret',
      ),
    )
    .action(async (options) => (await load()).createTokenCommand(context, options))
  token
    .command('list')
    .description('list the tokens; secrets are not kept')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot token list', 'offshoot token list --json | jq -r .tokens[].name'))
    .action(async (options) => (await load()).listTokens(context, options))
  token
    .command('revoke')
    .description('end a token at once, with every stream it has open')
    .argument('<token>', 'its name or id')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('offshoot token revoke dashboard'))
    .action(async (named, options) => (await load()).revokeTokenCommand(context, named, options))
}

function parseName(text: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(text)) return text
  throw new InvalidArgumentError('Use up to 64 letters, digits, ".", "_" and "-", a letter or digit first.')
}
