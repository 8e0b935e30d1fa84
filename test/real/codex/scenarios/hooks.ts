// Scenarios with hooks that speak to the model: a Stop hook that sends it back to work, a prompt hook that adds context.
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execNew, execResume } from '../exec.ts'
import type { CodexHome } from '../home.ts'
import type { Scenario } from './scenario.ts'

/** Blocks the first Stop of a turn and lets the second pass, as its input says. */
const stopHook = `#!/bin/sh
if grep -q '"stop_hook_active":true'; then echo '{}'; else echo '{"decision":"block","reason":"Not done yet"}'; fi
`
const promptHook = `#!/bin/sh
cat >/dev/null
echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"Context from a hook"}}'
`

function installHooks(home: CodexHome): void {
  const script = (name: string, text: string) => {
    const path = join(home.folder, name)
    writeFileSync(path, text)
    chmodSync(path, 0o755)
    return [{ hooks: [{ type: 'command', command: path, timeout: 10 }] }]
  }
  const hooks = { Stop: script('stop-hook.sh', stopHook), UserPromptSubmit: script('prompt-hook.sh', promptHook) }
  writeFileSync(join(home.folder, 'hooks.json'), JSON.stringify({ hooks }))
}

const trusted = { options: ['--dangerously-bypass-hook-trust'] }

export const hookScenarios: readonly Scenario[] = [
  {
    name: 'hooks that speak to the model',
    always: ['0.166.0'],
    make: async (home) => {
      installHooks(home)
      const threadId = await execNew(home, 'Work', trusted)
      await execResume(home, threadId, 'Work more', trusted)
      const requests = home.api.requestsOf(threadId)
      if (!JSON.stringify(requests.at(-1)?.input).includes('Not done yet')) throw new Error('the Stop hook did not run')
      return { threadId, turns: [{ prompt: 'Work' }, { prompt: 'Work more' }] }
    },
  },
]
