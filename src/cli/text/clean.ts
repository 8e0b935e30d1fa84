// What the command line prints goes through here; the server uses the same.
export { cleanLine, cleanText } from '../../lib/clean-text.ts'
