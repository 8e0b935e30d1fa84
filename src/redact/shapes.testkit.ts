// Secrets in the shapes and places people have them, all fake: made of random parts, and written with a `¦` inside their prefixes
// (which is taken out), so that no scanner mistakes these files for a leak.
import { notations } from './notation-shapes.testkit.ts'
import { places } from './place-shapes.testkit.ts'
import { programs } from './program-shapes.testkit.ts'
import { createRandom } from './random.testkit.ts'
import { tokens } from './token-shapes.testkit.ts'

export interface Shape {
  readonly name: string
  readonly text: string
  /** What must not be in any copy. */
  readonly secret: string
}

/** The same shapes with other secrets for every seed. */
export function secretShapes(seed = 'offshoot'): readonly Shape[] {
  const random = createRandom(seed)
  const tokenShapes = tokens.map(([name, make]) => {
    const secret = make(random).replaceAll('¦', '')
    return { name, text: `use ${secret} now`, secret }
  })
  const placeShapes = [...places, ...notations, ...programs].map(([name, template, make]) => {
    const secret = make(random)
    return { name, text: template.replaceAll('¦', '').replaceAll('§', () => secret), secret }
  })
  return [...tokenShapes, ...placeShapes]
}

/** What is left of a secret, if it is long enough to matter. */
export function leak(clean: string, secret: string): string | null {
  const rest = clean.replaceAll(/\[redacted:[\w-]+\]/g, '')
  for (let from = 0; from + 5 <= secret.length; from += 1) {
    if (rest.includes(secret.slice(from, from + 5))) return rest
  }
  return null
}
