// `npm start -- <arguments>`: sets up whatever is missing, then runs offshoot in this very process: a second Node would cost
// more than the rest of this script.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, repoRoot, SetupError } from './prepare.mjs'

try {
  await prepare()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

// npm moves to the package's folder first; commands speak of the repository the person stands in.
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD)
const bin = join(repoRoot, 'bin', 'offshoot.js')
process.argv[1] = bin
await import(pathToFileURL(bin).href)
