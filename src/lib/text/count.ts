// A number of things in words.

export function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun.replace(/y$/, 'ie')}s`}`
}
