// Brings in what the benchmarks compare with, once, into bench/peers.
import { fileURLToPath } from 'node:url'
// @ts-expect-error a plain script without types
import { ensurePeers as ensureIn } from '../scripts/test-setup.mjs'

export async function ensurePeers(): Promise<void> {
  await ensureIn(fileURLToPath(new URL('./peers', import.meta.url)))
}
