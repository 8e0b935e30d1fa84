import { readRegularText } from '../lib/regular-file.ts'
// The version of the package, read from the one place that states it.

export function readVersion(): string {
  const manifest: unknown = JSON.parse(readRegularText(new URL('../../package.json', import.meta.url)))
  return String((manifest as { version: unknown }).version)
}
