// Marks within a line of Markdown: code, bold, emphasis, links. Marks stay out of code; what is not closed is text.
import type { Paint } from '../draw.ts'

// Bounded: a line of ten thousand brackets that never close must not be looked through ten thousand times.
const marks =
  /(`{1,8})(.{1,400}?)\1|\*\*(?!\s)(.{1,400}?)\*\*|(?<!\w)__(.{1,400}?)__(?!\w)|(?<![\w*])\*(?!\s)([^*]{1,400}?)\*(?![\w*])|\[([^\][]{1,200})\]\(([^)\s]{1,400})\)/gu
const longest = 20_000

export function styleInline(text: string, paint: Paint): string {
  if (text.length > longest || !/[`*_[]/.test(text)) return text
  return text.replace(marks, (whole, _tick, code, bold, strong, emphasis, label, url) => {
    if (code !== undefined) return paint.code(code)
    if (bold !== undefined || strong !== undefined) return paint.bold(bold ?? strong)
    if (emphasis !== undefined) return paint.accent(emphasis)
    if (label !== undefined) return label === url ? paint.link(label) : `${paint.link(label)} ${paint.dim(`(${url})`)}`
    return whole
  })
}
