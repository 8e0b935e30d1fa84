// What the command line and the terminal UI print goes through here; the server uses the same.
export { cleanLine, cleanText } from '../clean-text.ts'
