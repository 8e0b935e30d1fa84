// JSON that can be shown. JSON leaves DEL, C1 controls and bidi marks as they are; a terminal or a page must not get them.

/** Still the same JSON. */
export function safeJson(document: unknown, indent?: number): string {
  return JSON.stringify(document, null, indent).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
