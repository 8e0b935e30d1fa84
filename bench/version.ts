// What the smallest command costs above Node itself.
import { compare, offshoot } from './measure.ts'
import { ms, printTable } from './table.ts'

export async function run(): Promise<void> {
  const { ours, peer } = await compare(
    { argv: [process.execPath, offshoot, '--version'] },
    { argv: [process.execPath, '-e', '0'] },
    25,
  )
  printTable('version: offshoot --version, beside node -e 0', [
    { what: '--version', ours: ms(ours), peer: ms(peer), ratio: peer / ours, wanted: 0.5 },
  ])
}
