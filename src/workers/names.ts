// Names of workers: friendly, unique among those that have not ended, and safe wherever they may stand (tmux, addresses, paths).
import { AppError } from '../model/error.ts'

const qualities =
  'amber brave calm clever coral crisp dapper eager early fair fleet fresh gentle glad golden happy ' +
  'honest humble jolly keen kind lively lucky merry mild neat noble olive patient plain proud quick ' +
  'quiet ready rosy silver steady sunny swift tidy warm wise'
const beings =
  'acorn alder ash aspen badger beech birch cedar clover crane elm falcon fern finch fir fox hare hazel ' +
  'heron holly ivy juniper lark larch linden maple moss oak otter owl pine poplar raven reed robin ' +
  'rowan sage sorrel sparrow spruce swan thyme willow wren yarrow yew'

const longestName = 40

export function makeName(isTaken: (name: string) => boolean): string {
  for (let tries = 0; ; tries += 1) {
    const name = `${pick(qualities)}-${pick(beings)}`
    const numbered = tries < 20 ? name : `${name}-${tries}`
    if (!isTaken(numbered)) return numbered
  }
}

export function checkName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && name.length <= longestName) return name
  const shown = JSON.stringify(name.slice(0, longestName + 10))
  throw new AppError('usage', `${shown} cannot be the name of a worker.`, {
    hint: `A name begins with a letter or a digit; letters, digits, - and _ may follow, ${longestName} in all.`,
  })
}

function pick(list: string): string {
  const words = list.split(' ')
  return words[Math.floor(Math.random() * words.length)] ?? 'worker'
}
