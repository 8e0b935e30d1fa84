import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanPaste, cleanTitle } from './clean.ts'

describe('a title', () => {
  test('is one line without control characters, and never empty', () => {
    expect(cleanTitle('a\nb\t\u001b]0;x\u0007\u009b c\u2028d\u202ee')).toBe('a b ]0;x c d e')
    expect(cleanTitle(' \u0000\n ')).toBe('offshoot')
    expect(cleanTitle('-x; #(y)')).toBe('-x; #(y)')
  })
  test('is not cut inside a character', () => {
    expect(cleanTitle('🌱'.repeat(100))).toBe('🌱'.repeat(60))
  })
})

describe('a paste', () => {
  test('keeps lines, tabs and everything that can be seen', () => {
    expect(cleanPaste('a\r\nb\rc\n\td é 日本 🌱 \u200d')).toBe('a\nb\nc\n\td é 日本 🌱 \u200d')
  })
  test('holds nothing that could end it or act by itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const codes = [...cleanPaste(text)].map((character) => character.codePointAt(0) ?? 0)
        return codes.every(
          (code) => code === 9 || code === 10 || (code >= 0x20 && code !== 0x7f && !(code >= 0x80 && code < 0xa0)),
        )
      }),
    )
  })
  test('has a limit', () => {
    expect(() => cleanPaste('x'.repeat((1 << 20) + 1))).toThrow(/too long to paste/)
  })
})
