// `search_sessions`: search alone, over both agents, with every filter there is.
import { z } from 'zod'
import { parameters } from '../../parameters.ts'
import { searchShape } from '../guidance-shape.ts'
import { line, projectPath } from '../schemas.ts'
import { findSessions, guide } from '../search.ts'
import { defineTool, reading } from '../tool.ts'

export const searchSessions = defineTool({
  name: 'search_sessions',
  title: 'Search past sessions',
  description:
    'Searches past sessions of this repository by plain words, "exact phrases", -words and filters (agent: file: branch: model: before: after:). Gives ranked sessions, each with the turn that fits best.',
  input: parameters({
    query: line('What to look for'),
    agent_type: z.enum(['claude', 'codex', 'both']).default('both'),
    project_path: projectPath,
    file: line('Only sessions that touched this file').optional(),
    limit: z.number().int().min(1).max(20).default(10),
    min_score: z.number().min(0).max(1).optional(),
    snippet_length: z.number().int().min(20).max(1000).default(300),
    engine: z.enum(['builtin', 'qmd']).optional(),
    collection: line('A qmd collection to ask').optional(),
    include_caller: z.boolean().default(false).describe('Also the session that is calling'),
  }),
  output: z.looseObject(searchShape),
  annotations: reading,
  async run(args, call) {
    try {
      const { structured, results } = await findSessions(call, {
        text: args.query,
        agentType: args.agent_type,
        limit: args.limit,
        projectPath: args.project_path,
        file: args.file,
        minScore: args.min_score,
        engine: args.engine,
        collection: args.collection,
        includeSnippets: true,
        snippetLength: args.snippet_length,
        includeCaller: args.include_caller,
      })
      return { structured, text: `${results.length} sessions found.` }
    } catch (thrown) {
      return guide(call, thrown, args.limit)
    }
  },
})
