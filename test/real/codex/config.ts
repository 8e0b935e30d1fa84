// The config.toml with which the real CLI runs offline against the stand-in, and asks nobody anything.

export const apiKeyName = 'STAND_IN_KEY'

/**
 * `model` must be in the CLI's bundled catalogue; the migration notice keeps the TUI from offering a newer one, the trusted
 * project keeps it from asking whether the folder may be used.
 */
export function configToml(apiUrl: string, work: string): string {
  return `model = "gpt-5.5"
model_provider = "standin"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.standin]
name = "standin"
base_url = "${apiUrl}"
wire_api = "responses"
env_key = "${apiKeyName}"
request_max_retries = 0
stream_max_retries = 0
[projects."${work}"]
trust_level = "trusted"
[analytics]
enabled = false
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
`
}
