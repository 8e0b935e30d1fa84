// `npm run build`: the same build as `npm start` and `npm test` make, skipped when nothing changed.
import { ensureBuilt, SetupError } from './prepare.mjs'

try {
  await ensureBuilt()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
