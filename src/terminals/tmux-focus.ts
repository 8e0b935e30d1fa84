// Brings a tmux pane before the person: by switching their client where they are in that tmux, else by the command that attaches.
import type { PaneRef, Terminal } from './terminal.ts'
import { runGuarded } from './tmux-guard.ts'
import type { TmuxServer } from './tmux-server.ts'

export async function focusTmuxPane(server: TmuxServer, pane: PaneRef): ReturnType<Terminal['focus']> {
  const commands = [
    `select-window -t ${pane.id}`,
    `select-pane -t ${pane.id}`,
    `display-message -p -t ${pane.id} '#{session_id} #{session_name}'`,
  ]
  const [, id = '', name = ''] = /^(\$\d+) (.*)\n/.exec(await runGuarded(server, pane, 'ours', { commands })) ?? []
  const client = await findClient(server, pane)
  if (client !== null) {
    await server.ask([['switch-client', '-c', client, '-t', id]], { socket: pane.server })
    return { shown: true, command: null }
  }
  // The name is nicer to read and copy, but only a plain one is no target syntax.
  const session = /^[A-Za-z0-9_-]+$/.test(name) ? `=${name}` : id
  const attach = ['tmux', '-S', pane.server, 'attach-session', '-t', session]
  return { shown: false, command: server.nested ? ['env', '-u', 'TMUX', ...attach] : attach }
}

/** The client the person looks at us through: that of our own session, the one used last. */
async function findClient(server: TmuxServer, pane: PaneRef): Promise<string | null> {
  if (server.inside === null) return null
  const own = await server.run([['display-message', '-p', '-t', server.inside.pane, '#{pid} #{session_id}']])
  const [serverPid, session = ''] = own.stdout.trim().split(' ')
  if (serverPid !== String(pane.serverPid)) return null
  const format = '#{client_control_mode} #{client_activity} #{session_id} #{client_name}'
  const { stdout } = await server.run([['list-clients', '-F', format]])
  const clients = [...stdout.matchAll(/^0 (\d+) (\$\d+) (.+)$/gm)]
    .map(([, usedAt, at, name = '']) => ({ usedAt: Number(usedAt), here: at === session, name }))
    .sort((one, other) => Number(other.here) - Number(one.here) || other.usedAt - one.usedAt)
  return clients[0]?.name ?? null
}
