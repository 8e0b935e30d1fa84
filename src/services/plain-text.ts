// What may stand in a file that another program reads line by line or as XML: anything but control characters.
import { AppError } from '../model/error.ts'

export function refuseControl(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are meant
  if (/[\u0000-\u001f\u007f\ufffe\uffff]/.test(text) || Buffer.from(text).toString() !== text) {
    throw new AppError('usage', `${JSON.stringify(text)} has a control character: it cannot stand in the file of a service.`)
  }
  return text
}
