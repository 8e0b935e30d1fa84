// `offshoot tree`: how sessions descend from each other, drawn with box characters.
import { renderNode } from '../../model/render.ts'
import type { Context } from '../context.ts'
import { refreshWithMeter } from '../progress.ts'
import { queryOf, type ScopeOptions } from '../scope.ts'

export interface TreeOptions extends ScopeOptions {
  readonly limit?: number | undefined
  readonly json?: true | undefined
}

export async function drawTree(context: Context, address: string | undefined, options: TreeOptions): Promise<void> {
  const app = await context.app()
  const query = await queryOf(context, options)
  await refreshWithMeter(context, app)
  const all = await app.tree(address === undefined ? query : (await app.resolve(address)).session)
  const nodes = options.limit ? all.slice(0, options.limit) : all
  if (options.json === true) await context.out.json({ nodes: nodes.map(renderNode) })
  else if (nodes.length === 0) await (await import('../empty.ts')).explainNoSessions(context, query)
  else for (const line of (await import('../lineage.ts')).drawLineage(context, nodes)) await context.out.line(line)
}
