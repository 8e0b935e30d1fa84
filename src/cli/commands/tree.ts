// `offshoot tree`: how sessions descend from each other, drawn with box characters.
import { AppError } from '../../model/error.ts'
import { renderNode } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { refreshWithMeter } from '../progress.ts'
import { queryOf, type ScopeOptions } from '../scope.ts'

export interface TreeOptions extends ScopeOptions {
  readonly limit?: number | undefined
  readonly json?: true | undefined
}

export async function drawTree(context: Context, address: string | undefined, options: TreeOptions): Promise<void> {
  if (address !== undefined) refuseScope(options)
  const app = await context.app()
  const query = await queryOf(context, options)
  await refreshWithMeter(context, app)
  const all = await app.tree(address === undefined ? query : (await app.resolve(address)).session)
  const nodes = options.limit ? all.slice(0, options.limit) : all
  if (options.json === true) await context.out.json({ nodes: nodes.map(renderNode) })
  else if (nodes.length === 0) await (await import('../empty.ts')).explainNoSessions(context, query)
  else for (const line of (await import('../lineage.ts')).drawLineage(context, nodes)) await context.out.line(line)
}

/** Of one session its whole lineage is drawn, wherever that is. */
function refuseScope({ agent, repo, all, limit }: TreeOptions): void {
  const [useless] = Object.entries({ agent, repo, all, limit }).find(([, value]) => value !== undefined) ?? []
  if (useless === undefined) return
  throw new AppError('usage', `--${useless} chooses among trees, and a session has only one.`, {
    hint: `Leave out --${useless}, or the session.`,
  })
}
