// The server as a real process on loopback: searches while it indexes, and a minute under load.
import { measureLoad } from './serve/load.ts'
import { measureSearches } from './serve/search-while-indexing.ts'

export async function run(): Promise<void> {
  await measureSearches()
  await measureLoad()
}
