// In whose words the server reports errors. Our own command line reaches a server for a user, so it asks for those of the command
// line; everybody else is a program.

export type Words = 'http' | 'command-line'

const header = 'x-offshoot-words'

export const commandLineWords = { [header]: 'command-line' } as const

export function wordsOf(request: { header(name: string): string | undefined }): Words {
  return request.header(header) === 'command-line' ? 'command-line' : 'http'
}
