// Parts of patterns that several rules share.

/** Quotes as code has them, as JSON inside JSON escapes them (both alike), and as HTML does. */
export const quoted = (from: number): string =>
  `(?:${[1, 3, 7].map((depth) => `\\\\{${depth}}"[^"\\\\\\n]{${from},2000}\\\\{${depth}}"`).join('|')}|"(?:[^"\\\\\\n]|\\\\.){${from},2000}"|'(?:[^'\\\\\\n]|\\\\.){${from},2000}'|\`[^\`\\n]{${from},2000}\`|&quot;[^&\\s]{${from},2000}&quot;)`

/** The quote that ends a name, and the bracket around it. */
export const closing = '(?:\\\\{0,7}["\'`]|&quot;)?\\]?'

/**
 * A run up to its end, where a call or an index must not follow, as they do after a name. The lookahead with the back reference
 * keeps it from being tried again at every shorter length. Stops where the next field of a form begins.
 */
export const bare = (from: number): string =>
  `(?=(?<run>(?:[^\\s"'\`,;<>(){}\\[\\]$\\\\|&]|&(?![\\w.-]{1,40}=)){${from},2000}))\\k<run>(?![(\\[])`

/** What a diff, `cat -n` or an agent's file reader puts in front of a line. */
export const linePrefix = '(?:[+> -]|[ \\t]{0,8}\\d{1,6}[→\\t])?'

/** The end of a line and the prefix of the next one. */
export const newLine = `\\r?\\n${linePrefix}`

/** A quote opens a string whose only line this is. */
export const lineStart = `(?:^|[\\n"'\`])${linePrefix}`

/** A lookahead: nothing but blanks up to the end of the line, or of the string. */
export const lineEnd = `(?=[ \\t]{0,20}(?:[\\r\\n"'\`\\\\]|$))`

/** The field of a value whose name is another field: `"name": "Cookie", "value": "x"`. It follows the closing quote of the name. */
export const valueField = `(?:\\s{0,2},)?(?:\\s{0,40}|[ \\t]{0,4}${newLine}[ \\t]{0,40})(?:\\\\{0,7}"value\\\\{0,7}"\\s{0,2}:\\s{0,3}(?=\\\\{0,7}")|value\\s{0,2}:\\s{0,3})`

/** Letters in front of a quote: bytes of Python and Rust, wide strings of C. Raw strings are mostly regular expressions. */
export const stringPrefix = '(?:[bBuUL@](?=["\'\\\\]))?'

export const pattern = (source: string, flags = ''): RegExp => new RegExp(source, `y${flags}`)
