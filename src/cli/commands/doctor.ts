// `offshoot doctor`: every check, each problem with its fix. Exit status 1 when something does not work.

import { cleanLine } from '../../lib/text/clean.ts'
import type { Check } from '../../model/catalog.ts'
import { AppError } from '../../model/error.ts'
import { renderCheck } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { checkOurselves } from '../own-checks.ts'

export interface DoctorOptions {
  readonly fix?: true | undefined
  readonly json?: true | undefined
}

export async function runDoctor(context: Context, options: DoctorOptions): Promise<number> {
  if (options.fix === true) await mend(context)
  const checks = [...(await checkOurselves(context)), ...(await checkTheRest(context))]
  if (options.json === true) await context.out.json({ checks: checks.map(renderCheck) })
  else await printChecks(context, checks)
  return checks.some(({ state }) => state === 'fail') ? 1 : 0
}

async function mend(context: Context): Promise<void> {
  for (const check of await checkOurselves(context)) {
    if (check.mend === undefined) continue
    try {
      await check.mend()
      context.out.note(`Mended: ${cleanLine(check.message)}`)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      context.out.note(cleanLine(error.message))
    }
  }
  const app = await context.app()
  await app.recover() // says itself what it found
  for (const problem of (await app.afterCapture({ stayMs: 0, pushNow: true })).problems) context.out.note(cleanLine(problem))
  const { archived, left } = await app.archive()
  if (archived > 0)
    context.out.note(`Archived ${archived} sessions that their agent is going to delete${left > 0 ? `; ${left} are left` : ''}.`)
}

/** A database that cannot be opened is a finding, not the end of the examination. */
async function checkTheRest(context: Context): Promise<readonly Check[]> {
  try {
    return await (await context.app()).doctor()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [{ id: 'app', state: 'fail', message: error.message, fix: error.hint }]
  }
}

async function printChecks({ out }: Context, checks: readonly Check[]): Promise<void> {
  const { bold, dim, green, red, yellow } = out.colors
  const marks = { ok: green('ok  '), warn: yellow('warn'), fail: red('FAIL') }
  const width = Math.max(...checks.map(({ id }) => id.length))
  for (const { id, state, message, fix } of checks) {
    await out.line(`${marks[state]}  ${bold(id.padEnd(width))}  ${cleanLine(message)}`)
    if (fix !== null) await out.line(dim(`      ${' '.repeat(width)}  fix: ${cleanLine(fix)}`))
  }
}
