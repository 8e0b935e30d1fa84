// The official SDK in a process of its own, because it takes its folders from the environment: answers `{ call, args }` sent by
// the process that forked it.
import { getSessionMessages, listSessions } from '../../bench/peers/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs'

const calls = { getSessionMessages, listSessions }

process.on('message', async ({ number, call, args }) => {
  try {
    process.send({ number, value: await calls[call](...args) })
  } catch (error) {
    process.send({ number, error: String(error) })
  }
})
