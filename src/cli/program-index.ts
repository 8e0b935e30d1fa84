// `index`, and what the hook starts after a capture.
import { type Command, Option } from '@commander-js/extra-typings'
import type { Context } from './context.ts'
import { examples } from './examples.ts'

export function addIndex(program: Command, context: Context): void {
  program
    .command('index')
    .description('bring what offshoot knows up to date: sessions, search index, captures')
    .addOption(new Option('--status', 'only say what there is').conflicts('rebuild'))
    .option('--rebuild', 'build the search index anew, and find every capture again from the refs in the repositories')
    .addOption(
      new Option('--watch', 'stay: make turns searchable as they end, and capture those of agents without hooks').conflicts([
        'status',
        'rebuild',
        'json',
      ]),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('offshoot index', 'offshoot index --status', 'offshoot index --rebuild', 'offshoot index --watch'),
    )
    .action(async (options) => (await import('./commands/index.ts')).runIndex(context, options))

  program
    .command('__after-capture', { hidden: true })
    .helpOption(false)
    .action(async () => (await import('./commands/after-capture.ts')).followCapture(context))
}
