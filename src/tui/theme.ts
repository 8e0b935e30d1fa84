// Styles by meaning: dark and light themes in 256 colours, 16 colours where the terminal has no more, none where NO_COLOR says so
// (bold, dim and inverse stay: they are no colours, and a selection must be seen).
import type { Paint } from './draw.ts'

export type ThemeName = 'dark' | 'light'
export type ColorDepth = 'none' | '16' | '256'

type Style = readonly [open: string, close: string]
type Look = Readonly<Record<keyof Paint, Style>>

const bold: Style = ['1', '22']
const dim: Style = ['2', '22']
const inverse: Style = ['7', '27']
const underline: Style = ['4', '24']
const color = (code: number): Style => [`38;5;${code}`, '39']
const basic = (code: number): Style => [String(code), '39']

const without: Look = {
  accent: bold,
  dim,
  bold,
  error: bold,
  warn: bold,
  ok: ['', ''],
  selected: inverse,
  match: underline,
  added: ['', ''],
  removed: dim,
  code: ['', ''],
  keyword: ['', ''],
  string: ['', ''],
  comment: dim,
  link: underline,
  frame: dim,
}

const sixteen: Look = {
  ...without,
  accent: basic(36),
  error: basic(31),
  warn: basic(33),
  ok: basic(32),
  added: basic(32),
  removed: basic(31),
  code: basic(33),
  keyword: basic(35),
  string: basic(32),
}

const dark: Look = {
  ...without,
  accent: color(80),
  dim: color(245),
  error: color(203),
  warn: color(221),
  ok: color(114),
  selected: ['48;5;237', '49'],
  match: ['1;38;5;221', '22;39'],
  added: color(114),
  removed: color(203),
  code: color(180),
  keyword: color(176),
  string: color(150),
  comment: color(244),
  link: ['4;38;5;75', '24;39'],
  frame: color(240),
}

const light: Look = {
  ...without,
  accent: color(30),
  dim: color(243),
  error: color(160),
  warn: color(130),
  ok: color(28),
  selected: ['48;5;254', '49'],
  match: ['1;38;5;130', '22;39'],
  added: color(28),
  removed: color(160),
  code: color(94),
  keyword: color(91),
  string: color(28),
  comment: color(245),
  link: ['4;38;5;26', '24;39'],
  frame: color(250),
}

export function createPaint(theme: ThemeName, depth: ColorDepth): Paint {
  const look = depth === 'none' ? without : depth === '16' ? sixteen : theme === 'dark' ? dark : light
  const apply = ([open, close]: Style) => {
    if (open === '') return (text: string) => text
    const [from, to] = [`\u001b[${open}m`, `\u001b[${close}m`]
    // A style inside of another ends with it only: what is outside goes on behind it.
    return (text: string) => (text === '' ? '' : from + (text.includes(to) ? text.replaceAll(to, to + from) : text) + to)
  }
  return Object.fromEntries(Object.entries(look).map(([name, style]) => [name, apply(style)])) as unknown as Paint
}

/** What the terminal says it can; `NO_COLOR` wins. */
export function colorDepth(vars: Readonly<Record<string, string | undefined>>): ColorDepth {
  if ((vars.NO_COLOR ?? '') !== '' || vars.TERM === 'dumb') return 'none'
  return /256|direct|kitty|ghostty/.test(vars.TERM ?? '') || (vars.COLORTERM ?? '') !== '' ? '256' : '16'
}

/** `COLORFGBG=0;15`: dark letters on light. Few terminals say so; dark is the guess. */
export function guessTheme(vars: Readonly<Record<string, string | undefined>>): ThemeName {
  const background = Number((vars.COLORFGBG ?? '').split(';').at(-1))
  return background === 7 || background === 15 ? 'light' : 'dark'
}
