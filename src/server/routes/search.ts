// `GET /search`: an intent in plain words, answered with sessions and the turn of each to fork (SF3).
import { createRoute, z } from '@hono/zod-openapi'
import { AppError } from '../../model/error.ts'
import { renderSearch } from '../../model/render-search.ts'
import { type Api, present, type RouteOptions } from '../api.ts'
import { parameters } from '../parameters.ts'
import { agent, flag, json, line, path, problems, wholeNumber } from '../schemas/common.ts'
import { searchAnswer } from '../schemas/search.ts'

const score = z
  .string()
  .regex(/^(?:0|1|0?\.\d{1,9}|0\.\d{1,9}|1\.0{1,9})$/, 'must be a number from 0 to 1')
  .transform(Number)
  .openapi({ type: 'number', minimum: 0, maximum: 1 })

const route = createRoute({
  method: 'get',
  path: '/search',
  summary: 'Find the session and the turn that hold what is described',
  request: {
    query: parameters({
      q: z.string().max(8000).optional().openapi({ description: 'Plain words, "quotes", -word, agent: file: before: after:' }),
      agent: agent.optional(),
      project_path: path.optional(),
      file: line(4096).min(1).optional(),
      limit: wholeNumber(1, 100).optional(),
      min_score: score.optional(),
      snippet_length: wholeNumber(0, 4000).optional(),
      engine: z.enum(['builtin', 'qmd']).optional(),
      collection: line(200).min(1).optional(),
      explain: flag.optional(),
    }),
  },
  responses: { 200: json('What was found', searchAnswer), ...problems },
})

export function addSearchRoutes(api: Api, { answer }: RouteOptions): void {
  api.openapi(route, async (context) => {
    const { q = '', project_path, min_score, snippet_length, ...rest } = context.req.valid('query')
    if (q.trim() === '' && rest.file === undefined) throw new AppError('usage', 'Search for what? Give q, file, or both.')
    const query = present({ ...rest, projectPath: project_path, minScore: min_score, snippetLength: snippet_length })
    const found = await context.var.access.guarded.search({ text: q, ...query }, context.req.raw.signal)
    return answer(context, renderSearch(found), 200)
  })
}
