// What was made, for a person: each fact on a line of its own, behind its label.
import type { Output } from './output.ts'

export const labelWidth = 11

export function createRow(out: Output) {
  return (label: string, text: string) => out.line(`  ${out.colors.dim(label.padEnd(labelWidth))}${text}`)
}
