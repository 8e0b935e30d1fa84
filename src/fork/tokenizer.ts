// Counts tokens of text as it comes. Loaded only when needed (its table takes 2 MB); text beyond a few megabytes is sampled
// evenly and scaled, since a figure that far over every window need not be exact.

export interface TokenCounter {
  add(text: string): void
  total(): number
}

/** Counted in full up to here; from then on every tenth piece. */
const fullCharacters = 2_000_000
const pieceCharacters = 4096

export async function createTokenCounter(): Promise<TokenCounter> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  // Text is data: what looks like a control token of the model in it is counted as the text it is.
  const count = (text: string) => countTokens(text, { disallowedSpecial: new Set() })
  let counted = 0
  let countedCharacters = 0
  let characters = 0
  let pieces = 0
  return {
    add(text) {
      for (let at = 0; at < text.length; at += pieceCharacters) {
        const piece = text.slice(at, at + pieceCharacters)
        characters += piece.length
        pieces += 1
        if (characters > fullCharacters && pieces % 10 !== 0) continue
        counted += count(piece)
        countedCharacters += piece.length
      }
    },
    total: () => (countedCharacters === 0 ? 0 : Math.ceil((counted * characters) / countedCharacters)),
  }
}
