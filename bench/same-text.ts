// The text of indexed sessions, for peers that cannot read transcripts.
import { createApp } from '../src/app.ts'
import { openDatabase } from '../src/store/open.ts'
import type { PeerText } from './peers-qmd.ts'

/** Everything said, called and printed, inherited turns too: all there is to read in the transcripts. */
export async function* wholeTexts(home: string, folder: string): AsyncGenerator<PeerText> {
  const app = createApp({ home, vars: { PATH: process.env.PATH, OFFSHOOT_HOME: folder }, cwd: home, now: Date.now })
  try {
    for (const session of await app.listSessions()) {
      const parts: string[] = []
      for await (const entry of app.readSession(session)) {
        if (entry.kind !== 'message') continue
        const { text, tool } = entry.message
        parts.push(tool === undefined ? text : `${tool.name} ${JSON.stringify(tool.arguments)}\n${tool.output ?? ''}`)
      }
      yield { id: session.id, text: `# ${session.id}\n\n${parts.join('\n\n')}` }
    }
  } finally {
    app.close()
  }
}

/** Just what our own index holds of each session: what was said, and of tools what a person would remember. */
export function* indexedTexts(folder: string): Generator<PeerText> {
  const db = openDatabase(folder)
  try {
    const all = db.prepare<[], { id: string; text: string }>(
      `SELECT s.id, GROUP_CONCAT(c.prompt || char(10) || c.body || char(10) || c.tools, char(10)) AS text
       FROM search_chunks c JOIN search_sessions s ON s.key = c.session_key GROUP BY s.key`,
    )
    for (const { id, text } of all.iterate()) yield { id, text: `# ${id}\n\n${text}` }
  } finally {
    db.close()
  }
}
