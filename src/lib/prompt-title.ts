// The title a prompt gives its session: one line of at most 80 characters, without phrases that every such prompt begins with.

const titleLength = 80

/** What agents write above a plan that the user accepted. */
const planStart = /^\s*(?:Implement the following plan:|A previous agent produced the plan below[^\n]*)\s*/
const heading = /^#{1,6}[ \t]+(.*\S)/m
/** Pictures say nothing in a list. */
const picture = /\[image(?: #\d+)?\]/gi

export function titleOfPrompt(prompt: string): string {
  const plan = prompt.replace(planStart, '')
  if (plan === prompt || plan.trim() === '') return shorten(prompt)
  return shorten(heading.exec(plan)?.[1] ?? plan)
}

/** The title of a session that has no prompt yet. */
export function titleBeforePrompt(place?: string): string {
  return place === undefined ? 'New session' : `New session in ${place}`
}

export function isTitleBeforePrompt(title: string): boolean {
  return /^New session(?: in .+)?$/.test(title)
}

/** `Summary` and `Next steps` stand in every other answer. */
const tellingHeading = /^#{1,6}[ \t]+(\S+(?:[ \t]+\S+){2,})/m

/** What an answer is about: its first heading that says something, else its beginning. */
export function gistOf(answer: string): string {
  return tellingHeading.exec(answer)?.[1] ?? answer
}

const bareCommand = /^\/[\w:.-]+$/

/** A command without arguments: it is the same in many sessions. */
export function isBareCommand(prompt: string): boolean {
  return bareCommand.test(prompt.trim())
}

/** A name with the beginning of a text. Only complete words are taken: half a secret could not be recognised later. */
export function titleWith(text: string, given: string): string {
  const name = given.trim()
  const words = completeWords(oneLine(text.replace(/^#{1,6}\s|\*\*|`/gm, '')), titleLength - name.length - 3)
  return words === '' ? name : `${name}: ${words}`
}

function shorten(text: string): string {
  const words = oneLine(text.replace(picture, ' '))
  const line = words === '' ? oneLine(text) : words
  if (line.length <= titleLength) return line
  const title = completeWords(line, titleLength)
  return title.length > titleLength / 2 ? title : `${cutWhole(line, titleLength - 1)}…`
}

/** As many words as there is room for; empty where the first one alone is too long. */
export function completeWords(line: string, length: number): string {
  if (line.length <= length) return line
  const end = line.lastIndexOf(' ', length - 1)
  return end <= 0 ? '' : `${line.slice(0, end)}…`
}

/** Never between the two halves of a character. */
function cutWhole(line: string, length: number): string {
  const last = line.charCodeAt(length - 1)
  return line.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
