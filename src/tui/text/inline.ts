// Marks within a line of Markdown: code, bold, emphasis, links. Marks stay out of code; what is not closed is text.
import type { Paint } from '../draw.ts'

const marks = /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|(?<![\w*])\*(?!\s)([^*]+?)\*(?![\w*])|\[([^\]]+)\]\(([^)\s]+)\)/gu

export function styleInline(text: string, paint: Paint): string {
  if (!/[`*_[]/.test(text)) return text
  return text.replace(marks, (whole, _tick, code, bold, strong, emphasis, label, url) => {
    if (code !== undefined) return paint.code(code)
    if (bold !== undefined || strong !== undefined) return paint.bold(bold ?? strong)
    if (emphasis !== undefined) return paint.accent(emphasis)
    if (label !== undefined) return label === url ? paint.link(label) : `${paint.link(label)} ${paint.dim(`(${url})`)}`
    return whole
  })
}
