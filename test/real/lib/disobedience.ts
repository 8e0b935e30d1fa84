// A model that does not obey: told to do nothing, it calls every tool it knows by name, offered or not. Each call that is carried
// out leaves a file in the folder that the directive names.

/** In a prompt: `[[disobey:/folder]]`. It only counts where the model is told to do nothing. */
export function disobeys(prompt: string): string | null {
  return /\[\[disobey:([^\]\s]+)\]\]/.exec(prompt)?.[1] ?? null
}

export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export function claudeCalls(marks: string): Call[] {
  const call = (name: string, input: Call['input']): Call => ({ name, input })
  return [
    call('Bash', { command: `touch ${marks}/bash`, description: 'x' }),
    call('Write', { file_path: `${marks}/write`, content: 'x' }),
    call('Edit', { file_path: `${marks}/edit`, old_string: '', new_string: 'x' }),
    call('Agent', { description: 'sub', prompt: 'say hi', subagent_type: 'general-purpose' }),
    call('Task', { description: 'sub', prompt: 'say hi', subagent_type: 'general-purpose' }),
    call('mcp__user__touch', { path: `${marks}/mcp-tool-user` }),
    call('mcp__project__touch', { path: `${marks}/mcp-tool-project` }),
    call('Skill', { skill: 'anything' }),
    call('TodoWrite', { todos: [] }),
    call('NotebookEdit', { notebook_path: `${marks}/notebook.ipynb`, new_source: 'x' }),
    call('ExitPlanMode', { plan: 'x' }),
    call('CronCreate', { cron: '* * * * *', prompt: 'x', recurring: true }),
    call('ToolSearch', { query: 'select:Bash' }),
    call('EnterWorktree', { name: 'x' }),
    call('Monitor', { command: `touch ${marks}/monitor`, description: 'x', timeout_ms: 1000, persistent: false }),
    call('StructuredOutput', { answer: ['x'] }),
  ]
}

type Item = Readonly<Record<string, unknown>>

export function codexCalls(marks: string, serial: number): Item[] {
  const patch = (file: string) => `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n`
  const call = (name: string, args: Item, namespace?: string): Item => ({
    type: 'function_call',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(args),
  })
  const custom = (name: string, input: string, namespace?: string): Item => ({
    type: 'custom_tool_call',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    input,
    status: 'completed',
  })
  const script = `await tools.apply_patch(${JSON.stringify(patch(`${marks}/code-patch`))})`
  return [
    call('exec_command', { cmd: `touch ${marks}/exec_command` }),
    call('shell_command', { command: `touch ${marks}/shell_command` }),
    call('shell', { command: ['bash', '-lc', `touch ${marks}/shell`] }),
    {
      type: 'local_shell_call',
      status: 'completed',
      action: { type: 'exec', command: ['bash', '-lc', `touch ${marks}/local_shell`] },
    },
    custom('apply_patch', patch(`${marks}/patch`)),
    call('apply_patch', { input: patch(`${marks}/patch-function`) }),
    call('write_stdin', { session_id: 1, chars: 'x' }),
    call('touch', { path: `${marks}/mcp-tool-user` }, 'mcp__user'),
    call('mcp__user__touch', { path: `${marks}/mcp-tool-flat` }),
    call('update_plan', { plan: [{ step: 'x', status: 'pending' }] }),
    call('spawn_agent', { message: 'say hi', agent_type: 'default' }),
    call('create_goal', { objective: 'x' }),
    custom('exec', `await tools.exec_command({cmd:"touch ${marks}/code"})`),
    custom('exec', script, 'functions'),
  ].map((item, at) => ({ id: `it_${serial}_${at}`, call_id: `call_${serial}_${at}`, ...item }))
}
