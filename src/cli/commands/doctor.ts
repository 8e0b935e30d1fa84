// `offshoot doctor`: every check, each problem with its fix. Exit status 1 when something does not work.

import { toMachineFault } from '../../lib/machine-fault.ts'
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
  const mended = options.fix === true ? await mend(context) : true
  const checks = [...(await checkOurselves(context)), ...(await checkTheRest(context))]
  if (options.json === true) await context.out.json({ checks: checks.map(renderCheck) })
  else await printChecks(context, checks)
  return mended && !checks.some(({ state }) => state === 'fail') ? 0 : 1
}

/** False when something could not be done, which it has reported then. */
async function mend(context: Context): Promise<boolean> {
  const { out } = context
  const outcomes: boolean[] = []
  for (const { mend: mendIt, message } of await checkOurselves(context)) {
    if (mendIt === undefined) continue
    const mended = await attempt(context, async () => {
      await mendIt()
      out.note(`Mended: ${cleanLine(message)}`)
    })
    outcomes.push(mended)
  }
  outcomes.push(
    await attempt(context, async () => (await context.app()).recover()), // reports itself what it found
    await attempt(context, async () => {
      const { problems } = await (await context.app()).afterCapture({ stayMs: 0, pushNow: true })
      for (const problem of problems) out.note(cleanLine(problem))
    }),
    await attempt(context, async () => {
      const { archived, left } = await (await context.app()).archive()
      if (archived === 0) return
      out.note(`Archived ${archived} sessions that their agent is going to delete${left > 0 ? `; ${left} are left` : ''}.`)
    }),
  )
  return outcomes.every((done) => done)
}

/** What cannot be done is reported and keeps nothing else from being done. */
async function attempt({ out }: Context, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const fault = toMachineFault(error)
    if (fault === null) throw error
    out.note(cleanLine(`${fault.message} ${fault.hint}`))
    return false
  }
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
