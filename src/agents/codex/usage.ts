// Tokens as Codex reports them: token_usage_record (since 0.15x) has one per answer of the model, token_count (before) repeats
// running totals. Totals of a fork go on from its parent's, so only differences are ever added.
import { isObject } from '../../lib/jsonl.ts'
import type { Usage } from '../../model/session.ts'
import type { Body } from './lines.ts'

export const noUsage: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }
}

/** What the newest answer took, and the thread's total that tells a new report from a repeated one; `null`: no report. */
export function usageOf(type: string, payload: Body): { usage: Usage; total: number | null } {
  if (type === 'token_usage_record') return { usage: readUsage(payload.usage), total: totalOf(payload.thread_token_usage) }
  const info = isObject(payload.info) ? payload.info : {}
  return { usage: readUsage(info.last_token_usage), total: totalOf(info.total_token_usage) }
}

function readUsage(value: unknown): Usage {
  if (!isObject(value)) return noUsage
  return {
    inputTokens: count(value.input_tokens),
    cachedInputTokens: count(value.cached_input_tokens),
    outputTokens: count(value.output_tokens),
  }
}

function totalOf(value: unknown): number | null {
  return isObject(value) ? count(value.total_tokens) : null
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
