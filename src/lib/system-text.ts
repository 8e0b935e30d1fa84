/**
 * The value where the operating system can take it as a path, an argument or a variable: a string without NUL, which would end it
 * there. Else `null`: Node throws for such a path, and a file of that name cannot exist.
 */
export function systemText(value: unknown): string | null {
  return typeof value === 'string' && !value.includes('\0') ? value : null
}
