// The shapes of secrets, ours beside secretlint's: it knows fewer kinds of token, and none of the ways a secret stands in
// a command or a config file. Every repetition is bounded: a hostile transcript must not be able to stall a rule.

export interface Rule {
  /** Stands in the place of the secret: `[redacted:<kind>]`. */
  readonly kind: string
  /** Global. The groups `before` and `after` are kept; everything else of the match goes. */
  readonly pattern: RegExp
  /** A last look at what would go: `false` leaves it, for placeholders and code. */
  readonly accept?: (secret: string) => boolean
}

/** Tokens that name themselves by a prefix. Their lengths are the issuers', or a safe lower bound. */
export const tokenRules: readonly Rule[] = [
  {
    kind: 'private-key',
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN)[\s\S]){0,20000}?-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\\\s]{0,20000})/g,
  },
  { kind: 'private-key', pattern: /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g },
  { kind: 'anthropic-key', pattern: /\bsk-ant-[a-z0-9]{2,12}-[\w-]{20,200}/g },
  { kind: 'openai-key', pattern: /\bsk-(?:proj|svcacct|admin|None)-[\w-]{20,250}/g },
  { kind: 'openrouter-key', pattern: /\bsk-or-v1-[0-9a-f]{32,128}\b/g },
  { kind: 'openai-key', pattern: /\bsk-[A-Za-z0-9]{32,128}\b/g, accept: looksRandom },
  { kind: 'github-token', pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}/g },
  { kind: 'github-token', pattern: /\bgithub_pat_[A-Za-z0-9_]{50,255}/g },
  { kind: 'gitlab-token', pattern: /\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[\w-]{20,128}/g },
  { kind: 'slack-token', pattern: /\bxox[abceoprs]-[\w-]{10,250}/g },
  { kind: 'slack-token', pattern: /\bxapp-\d-[\w-]{10,250}/g },
  { kind: 'slack-webhook', pattern: /(?<before>hooks\.slack\.com\/(?:services|workflows)\/)[\w/]{20,200}/g },
  { kind: 'discord-webhook', pattern: /(?<before>discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/)[\w-]{40,100}/g },
  { kind: 'telegram-token', pattern: /\b\d{8,10}:AA[\w-]{33}\b/g },
  { kind: 'aws-key', pattern: /\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}\b/g },
  {
    kind: 'aws-key',
    pattern: /(?<before>aws.{0,20}?secret.{0,20}?["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])/gi,
  },
  { kind: 'azure-key', pattern: /(?<before>(?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{40,90}={0,2}/g },
  { kind: 'google-key', pattern: /\bAIza[\w-]{35}/g },
  { kind: 'google-key', pattern: /\bGOCSPX-[\w-]{28}/g },
  { kind: 'google-token', pattern: /\bya29\.[\w-]{20,400}/g },
  { kind: 'stripe-key', pattern: /\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,200}/g },
  { kind: 'stripe-key', pattern: /\bwhsec_[A-Za-z0-9+/=]{24,100}/g },
  { kind: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  {
    kind: 'npm-token',
    pattern: /(?<before>_(?:authToken|auth|password)\s{0,2}=\s{0,2}["']?)[A-Za-z0-9+/=_-]{8,400}/g,
    accept: looksRandom,
  },
  { kind: 'pypi-token', pattern: /\bpypi-AgE[\w-]{50,300}/g },
  { kind: 'rubygems-key', pattern: /\brubygems_[0-9a-f]{48}\b/g },
  { kind: 'docker-token', pattern: /\bdckr_(?:pat|oat)_[\w-]{27,64}/g },
  { kind: 'huggingface-token', pattern: /\bhf_[A-Za-z0-9]{34,40}\b/g },
  { kind: 'groq-key', pattern: /\bgsk_[A-Za-z0-9]{48,60}\b/g },
  { kind: 'replicate-token', pattern: /\br8_[A-Za-z0-9]{37,40}\b/g },
  { kind: 'perplexity-key', pattern: /\bpplx-[A-Za-z0-9]{40,60}\b/g },
  { kind: 'xai-key', pattern: /\bxai-[A-Za-z0-9]{60,100}\b/g },
  { kind: 'sendgrid-key', pattern: /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g },
  { kind: 'twilio-key', pattern: /\bSK[0-9a-f]{32}\b/g },
  { kind: 'mailchimp-key', pattern: /\b[0-9a-f]{32}-us\d{1,2}\b/g },
  { kind: 'vault-token', pattern: /\bhv[sbr]\.[\w-]{24,300}/g },
  { kind: 'databricks-token', pattern: /\bdapi[0-9a-f]{32}\b/g },
  { kind: 'digitalocean-token', pattern: /\bdo[opr]_v1_[0-9a-f]{64}\b/g },
  { kind: 'linear-key', pattern: /\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}\b/g },
  { kind: 'notion-token', pattern: /\bntn_\d{11}[A-Za-z0-9]{35}\b/g },
  { kind: 'figma-token', pattern: /\bfig[dou]_[\w-]{40,200}/g },
  { kind: 'grafana-token', pattern: /\bgls?a?c?_[A-Za-z0-9+/]{32,400}(?:_[0-9a-f]{8})?={0,2}/g },
  { kind: 'shopify-token', pattern: /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g },
  { kind: 'supabase-key', pattern: /\bsb(?:p|_secret)_[A-Za-z0-9_]{30,80}/g },
  { kind: 'planetscale-token', pattern: /\bpscale_(?:tkn|pw|oauth)_[\w.-]{32,64}/g },
  { kind: 'doppler-token', pattern: /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,80}/g },
  { kind: 'atlassian-token', pattern: /\bATATT3[\w=-]{100,250}/g },
  { kind: 'newrelic-key', pattern: /\bNRAK-[A-Z0-9]{27}\b/g },
  { kind: 'sentry-token', pattern: /\bsntry[su]_[\w+/=-]{40,300}/g },
  { kind: '1password-token', pattern: /\bops_eyJ[A-Za-z0-9+/=]{80,1500}/g },
  { kind: 'jwt', pattern: /(?<![\w-])eyJ[\w-]{8,2000}\.eyJ[\w-]{8,8000}\.[\w-]{8,2000}/g },
]

/** Secrets known only by what stands before them. */
export const contextRules: readonly Rule[] = [
  {
    kind: 'bearer-token',
    pattern: /(?<before>\b(?:Bearer|Basic|Token)\s{1,4})[A-Za-z0-9._~+/-]{16,4000}={0,2}/gi,
    accept: looksRandom,
  },
  { kind: 'password', pattern: /(?<before>:\/\/[^\s:/@"'<>`]{0,128}:)[^\s/@"'<>`]{1,256}(?<after>@)/g, accept: isNoPlaceholder },
  {
    kind: 'env-value',
    pattern:
      /(?<before>(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|ENCRYPTION_?KEY|SIGNING_?KEY|CREDENTIALS?)(?:_[A-Z0-9_]{1,32})?\s?=\s?["']?)[^\s"'`,;<>(){}[\]$]{8,400}/g,
    accept: isNoPlaceholder,
  },
  {
    kind: 'secret',
    pattern:
      /(?<before>(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|client[_-]?secret|secret[_-]?key|private[_-]?key)\\?["']?\s{0,4}[:=]\s{0,4}\\?(["']))[^"'\s\\<>${}[\]]{8,400}(?<after>\\?\2)/gi,
    accept: (text) => isNoPlaceholder(text) && /[\d!@#%^&*+=?]/.test(text),
  },
  {
    kind: 'argument',
    pattern:
      /(?<before>--(?:password|passwd|token|api-key|secret|access-token|auth-token)(?:=|\s{1,2})["']?)[^\s"'$<>{}[\]-][^\s"'<>]{7,400}/g,
    accept: looksRandom,
  },
  {
    kind: 'password',
    pattern: /(?<before>\bcurl\b.{0,200}\s(?:-u|--user)\s{0,2}["']?[\w.@-]{1,64}:)[^\s"'$<>]{4,128}/g,
    accept: isNoPlaceholder,
  },
]

/** A digit among letters, as issued tokens have; words, paths and identifiers of code mostly have none. */
function looksRandom(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text) && isNoPlaceholder(text)
}

const placeholder =
  /^(?:x{4,}|\*{3,}|\.{3,}|your|my[_-]|example|sample|dummy|changeme|change_me|placeholder|redacted|password|passwd|pass|secret|token|process\.|os\.|env\.|import\.|config\.|settings\.|options\.|this\.|self\.|args\.|undefined|null|none|true|false|string|\[redacted)|EXAMPLE|^%|^\$|\.{3}|\w\($/i

function isNoPlaceholder(text: string): boolean {
  return !placeholder.test(text)
}
