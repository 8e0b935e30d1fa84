// Makes answers of two runs comparable: what differs from run to run (folders, times, new ids, sizes, scores) and the wording of
// messages are replaced, everything else stays.

/** Prose for people: its wording may change, its presence may not. */
const prose = new Set([
  'message',
  'hint',
  'detail',
  'description',
  'summary',
  'reason',
  'steps',
  'evidence',
  'instructions',
  'strategy_reason',
])

/** Depends on the machine, the clock or the length of a temporary folder's name. */
const measured = /(^|_)(bytes|size|ms|pid|port|version|estimate|tokens)$/

const fixed: Readonly<Record<string, string>> = { next: '<cursor>', secret: '<secret>', host: '<host>' }

const isoTime = /\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(\.\d+)?Z?/g
const dayFolder = /\/\d{4}\/\d\d\/\d\d\//g
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const objectName = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g
/** Ids that offshoot gives to forks and tokens. */
const shortId = /^[a-z2-7]{8}$/

/** A fork makes the folder of the day, and its undo removes it, only where the demo's own sessions are of another day. */
function isDay(value: unknown): boolean {
  return typeof value === 'string' && /\/sessions\/\d{4}(\/\d\d){0,2}$/.test(value)
}

/** Ids in `known` stay as they are; the others are numbered in the order in which they appear. */
export function createNormaliser(home: string, known: readonly string[]): (answer: unknown) => unknown {
  const slug = home.replaceAll(/[^A-Za-z0-9]/g, '-')
  const numbers = new Map<string, string>()
  const numbered = (kind: string) => (id: string) => {
    if (known.some((each) => id.startsWith(each)) || /^0+$/.test(id)) return id
    const name = numbers.get(id) ?? `<${kind} ${numbers.size + 1}>`
    numbers.set(id, name)
    return name
  }
  const text = (value: string) => {
    let result = value.replaceAll(home, '<home>').replaceAll(slug, '<home>')
    result = result.replaceAll(isoTime, '<time>').replaceAll(dayFolder, '/<day>/')
    result = result.replaceAll(uuid, numbered('id')).replaceAll(objectName, numbered('object'))
    for (const [id, name] of numbers) result = result.replaceAll(new RegExp(`${id}|\\b${id.slice(0, 8)}\\b`, 'g'), name)
    return result
  }
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, each] of Object.entries(value)) {
      if (key === 'id' && typeof each === 'string' && shortId.test(each)) numbered('fork')(each)
      collect(each)
    }
  }
  const walk = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.filter((each) => !isDay(each)).map((each) => walk(each, key))
    // Whether the background is still at work when it is asked.
    if (key === 'running' && typeof value === 'boolean') return '<boolean>'
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [text(name), walk(each, name)]))
    if (typeof value === 'number') return measured.test(key) || !Number.isInteger(value) ? '<number>' : value
    if (typeof value !== 'string' || value === '') return value
    return prose.has(key) ? '<text>' : (fixed[key] ?? text(value))
  }
  return (answer) => {
    collect(answer)
    return walk(answer, '')
  }
}
