// The tables of what may stand in a rollout (Codex 0.142 to 0.166 and its published sources); what is not in them is counted
// as unknown and named by doctor, never guessed at.

/** The first versions wrote these between the items; they hold nothing. */
export const bareState = 'state'

export const knownTypes: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'world_state',
  'token_usage_record',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  bareState,
])

const toolCalls = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'tool_search_call',
  'web_search_call',
  'image_generation_call',
])

/** These carry their result themselves: no output follows. */
const selfContained = new Set(['web_search_call', 'image_generation_call'])

export function isToolCall(type: string): boolean {
  return toolCalls.has(type)
}

export function isSelfContained(type: string): boolean {
  return selfContained.has(type)
}

export function isToolOutput(type: string): boolean {
  return type === 'function_call_output' || type === 'custom_tool_call_output' || type === 'tool_search_output'
}

/** Response items that make no message of their own. */
export const knownItems: ReadonlySet<string> = new Set([
  'reasoning',
  'agent_message',
  'additional_tools',
  'ghost_snapshot',
  'compaction',
  'compaction_summary',
  'compaction_trigger',
  'context_compaction',
  'other',
])

/** Events that say nothing the response items do not say, besides those the turn tracker takes itself. */
export const knownEvents: ReadonlySet<string> = new Set([
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'background_event',
  'collab_agent_interaction_end',
  'collab_agent_spawn_end',
  'collab_close_end',
  'collab_resume_end',
  'collab_waiting_end',
  'context_compacted',
  'deprecation_notice',
  'dynamic_tool_call_request',
  'dynamic_tool_call_response',
  'entered_review_mode',
  'exec_command_begin',
  'exec_command_end',
  'exited_review_mode',
  'guardian_assessment',
  'guardian_warning',
  'hook_completed',
  'hook_started',
  'image_generation_end',
  'item_started',
  'mcp_tool_call_begin',
  'mcp_tool_call_end',
  'model_reroute',
  'model_verification',
  'patch_apply_begin',
  'patch_apply_end',
  'plan_update',
  'session_configured',
  'shutdown_complete',
  'stream_error',
  'sub_agent_activity',
  'thread_goal_updated',
  'thread_name_updated',
  'thread_settings_applied',
  'turn_diff',
  'undo_completed',
  'undo_started',
  'view_image_tool_call',
  'warning',
  'web_search_begin',
  'web_search_end',
])
