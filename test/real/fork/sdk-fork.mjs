// The official SDK's own fork, in a process of its own because it takes its folders from the environment:
// node sdk-fork.mjs <session id> <working directory> <message id>
import { forkSession } from '../../../bench/peers/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs'

const [id, dir, upToMessageId] = process.argv.slice(2)
console.log(JSON.stringify(await forkSession(id, { dir, upToMessageId })))
