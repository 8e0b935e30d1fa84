// Sessions made in print mode by an agent that works undisturbed.
import { both, newer, older, type Scenario, talked, turns } from './scenario.ts'

export const talkScenarios: readonly Scenario[] = [
  {
    name: 'several turns',
    countsUsage: true,
    always: both,
    make: (bench) => talked(bench, 'hello one', 'hello two', 'hello\n\nthree  "quoted" \u2028 ünïcödé \u{1f331}'),
  },
  {
    name: 'a configuration folder of its own',
    always: newer,
    sandbox: { claudeConfigDir: true },
    make: (bench) => talked(bench, 'kept elsewhere', 'still elsewhere'),
  },
  {
    name: 'tool calls',
    countsUsage: true,
    always: older,
    make: (bench) =>
      talked(
        bench,
        `look around [[bash:cat notes.txt; echo; echo to stderr >&2]] [[read:${bench.file('notes.txt')}]]`,
        'a command that fails [[bash:echo before; exit 3]]',
        `a file that is not there [[read:${bench.file('missing.txt')}]]`,
      ),
  },
  {
    name: 'three parallel tools',
    countsUsage: true,
    always: both,
    // The first call ends last, so the next answer hangs off the first call's result and the other two are off its chain.
    make: (bench) =>
      talked(
        bench,
        'all at once [[parallel:sleep 0.9 && cat notes.txt|sleep 0.5 && cat README.md|cat notes.txt README.md]]',
        'and then?',
      ),
  },
  {
    name: 'file edits',
    countsUsage: true,
    always: newer,
    make: (bench) =>
      talked(
        bench,
        `write [[write:${bench.file('new.txt')}:line one]] [[read:${bench.file('notes.txt')}]] [[edit:${bench.file('notes.txt')}:first:second]]`,
        `again [[edit:${bench.file('notes.txt')}:second:third]]`,
      ),
  },
  {
    name: 'a subagent',
    always: both,
    make: (bench) => talked(bench, 'delegate [[task:count the notes]]', 'thanks'),
  },
  {
    name: 'thinking',
    countsUsage: true,
    always: older,
    make: (bench) => talked(bench, 'think hard [[think]]', 'think and act [[think]] [[bash:cat notes.txt]]'),
  },
  {
    name: 'hooks',
    countsUsage: true,
    always: newer,
    async make(bench) {
      const say = (event: string, text: string) =>
        JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } })
      const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }]
      const block = JSON.stringify({ decision: 'block', reason: 'Not yet: say more.' })
      const settings = {
        hooks: {
          SessionStart: hook(`echo '${say('SessionStart', 'The session started.')}'`),
          UserPromptSubmit: hook('echo Context from the prompt hook.'),
          PreToolUse: hook(`echo '${say('PreToolUse', 'A tool is about to run.')}'`),
          Stop: hook(`grep -q '"stop_hook_active":true' || echo '${block}'`),
        },
      }
      const first = await bench.claude.print('first with hooks [[bash:cat notes.txt]]', { settings })
      await bench.claude.print('second with hooks', { settings, flags: ['--resume', first.sessionId] })
      return { sessionId: first.sessionId, turns: turns('first with hooks [[bash:cat notes.txt]]', 'second with hooks') }
    },
  },
  {
    name: 'compaction in print mode',
    always: older,
    async make(bench) {
      const sessionId = await bench.talk(['before one', 'before two [[bash:cat notes.txt]]'])
      await bench.claude.print('/compact', { flags: ['--resume', sessionId] })
      await bench.talk(['after the compaction'], sessionId)
      return {
        sessionId,
        turns: [
          ...turns('before one', 'before two [[bash:cat notes.txt]]'),
          { prompt: 'after the compaction', afterCompaction: true },
        ],
      }
    },
  },
]
