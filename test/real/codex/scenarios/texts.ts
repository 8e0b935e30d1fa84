// Scenarios about who said a text: instructions that change, prompts that look like the CLI's own words, pictures, items put in
// by a client, and compactions nobody asked for.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAppServer } from '../app-server.ts'
import { execNew, execResume } from '../exec.ts'
import { execTurns } from './plain.ts'
import type { Scenario } from './scenario.ts'
import { afterCompaction, compact } from './threads.ts'

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const items = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Slipped in' }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'and answered' }] },
]

export const textScenarios: readonly Scenario[] = [
  {
    name: 'instructions that change',
    always: ['0.166.0'],
    make: async (home) => {
      const instructions = join(home.work, 'AGENTS.md')
      writeFileSync(instructions, 'Be brief.\n')
      const threadId = await execNew(home, 'With instructions')
      writeFileSync(instructions, 'Be long.\n')
      await execResume(home, threadId, 'With other instructions')
      rmSync(instructions)
      await execResume(home, threadId, 'Without')
      return { threadId, turns: ['With instructions', 'With other instructions', 'Without'].map((prompt) => ({ prompt })) }
    },
  },
  {
    name: 'prompts that look injected',
    always: ['0.142.0'],
    make: (home) =>
      execTurns(home, ['<environment_context> what is this?', '# AGENTS.md instructions for what?', '<turn_aborted> and this']),
  },
  {
    name: 'picture in a prompt',
    always: ['0.166.0'],
    make: async (home) => {
      const picture = join(home.work, 'picture.png')
      writeFileSync(picture, Buffer.from(onePixel, 'base64'))
      const threadId = await execNew(home, 'What is this?', { options: ['-i', picture, '--'] })
      await execResume(home, threadId, 'And without?')
      return { threadId, turns: [{ prompt: '[image]\nWhat is this?' }, { prompt: 'And without?' }] }
    },
  },
  {
    // With so small a limit each answer is followed by a compaction: in mid turn after a tool, and in front of the next prompt.
    name: 'compaction by itself',
    always: ['0.142.0'],
    make: async (home) => {
      const small = { options: ['-c', 'model_auto_compact_token_limit=110'] }
      const threadId = await execNew(home, 'First [[shell: echo one]]', small)
      await execResume(home, threadId, 'Second', small)
      await execResume(home, threadId, 'Third')
      const later = afterCompaction([{ prompt: 'Second' }, { prompt: 'Third' }])
      return { threadId, turns: [{ prompt: 'First [[shell: echo one]]' }, ...later] }
    },
  },
  {
    name: 'begins with items put in by a client',
    always: ['0.142.0', '0.166.0'],
    make: async (home) => {
      const server = await startAppServer(home)
      const threadId = await server.startThread(home.work)
      await server.request('thread/inject_items', { threadId, items })
      const first = await server.turn(threadId, 'One')
      await server.stop()
      return { threadId, turns: [{ prompt: 'Slipped in' }, { id: first.turnId, prompt: 'One' }], unlisted: 1 }
    },
  },
  {
    name: 'holds nothing but items put in by a client',
    always: ['0.142.0', '0.166.0'],
    make: async (home) => {
      const server = await startAppServer(home)
      const threadId = await server.startThread(home.work)
      await server.request('thread/inject_items', { threadId, items })
      await server.stop()
      return { threadId, turns: [{ prompt: 'Slipped in' }], unlisted: 1 }
    },
  },
  {
    name: 'items put in by a client, then a compaction',
    always: ['0.142.0', '0.166.0'],
    make: async (home) => {
      const server = await startAppServer(home)
      const threadId = await server.startThread(home.work)
      await server.request('thread/inject_items', { threadId, items })
      const first = await server.turn(threadId, 'One')
      const summary = await compact(server, threadId, [{ id: first.turnId, prompt: 'One' }])
      const last = await server.turn(threadId, 'Two')
      await server.stop()
      const turns = [{ prompt: 'Slipped in' }, { id: first.turnId, prompt: 'One' }, summary]
      return { threadId, turns: [...turns, ...afterCompaction([{ id: last.turnId, prompt: 'Two' }])], unlisted: 1 }
    },
  },
  {
    name: 'items put in by a client',
    always: ['0.166.0'],
    make: async (home) => {
      const server = await startAppServer(home)
      const threadId = await server.startThread(home.work)
      const first = await server.turn(threadId, 'One')
      await server.request('thread/inject_items', { threadId, items })
      const second = await server.turn(threadId, 'Two')
      await server.stop()
      return {
        threadId,
        turns: [
          { id: first.turnId, prompt: 'One' },
          { id: second.turnId, prompt: 'Two' },
        ],
      }
    },
  },
]
