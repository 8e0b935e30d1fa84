// Brings in what the benchmarks compare with, once, into bench/peers.
import { fileURLToPath } from 'node:url'
// @ts-expect-error a plain script without types
import { ensureInstalled } from '../scripts/prepare.mjs'

export async function ensurePeers(): Promise<void> {
  const folder = fileURLToPath(new URL('./peers', import.meta.url))
  await ensureInstalled(folder, { what: 'the peers of the benchmarks', npmArgs: ['--omit=optional'] })
}
