// Decides in one pass whether a text can hold a secret at all. Nearly all texts cannot, and this scan is what they cost.

/** One literal, or nearly one, for every rule in rules.ts: a text without any of them is returned as it is. */
const tokenSigns =
  /PRIVATE KEY|AGE-SECRET|\bsk-[A-Za-z0-9]|\bgh[pousr]_|github_pat_|\bgl[a-z]{2,5}[-_]|\bxox[abceoprs]-|xapp-|hooks\.slack|api\/webhooks|:AA|\bA[A-Z]{3}[A-Z0-9]{16}|AccountKey|AccessKey|AIza|GOCSPX|ya29\.|[srp]k_(?:live|test)_|whsec_|npm_[A-Za-z0-9]{20}|_auth|pypi-AgE|rubygems_|dckr_|\bhf_|gsk_|\br8_|pplx-|xai-|\bSG\.|\bSK[0-9a-f]{32}|-us\d|\bhv[sbr]\.|dapi[0-9a-f]|do[opr]_v1|lin_(?:api|oauth)|ntn_|fig[dou]_|shp[a-z]{2}_|\bsb(?:p|_secret)_|pscale_|\bdp\.|ATATT3|NRAK-|sntry[su]_|eyJ|[aA][wW][sS].{0,20}[sS][eE][cC][rR][eE][tT]/

/** As much of every rule as tells talk of tokens from a token: texts about software are full of the words alone. */
const contextSigns =
  /(?:bearer|basic|token)\s{1,4}[\w.~+/-]{16}|:\/\/[^\s:/@]{0,128}:[^\s/@]{1,256}@|(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|KEY|CREDENTIALS?|secret|token|passw|passphrase)[\w-]{0,33}\\?["']?\s{0,4}[:=]|--(?:passw|token|api-key|secret|access-token|auth-token)|\bcurl\b.{0,200}\s(?:-u|--user)/i

export function mayHoldToken(text: string): boolean {
  return tokenSigns.test(text)
}

export function mayHoldContext(text: string): boolean {
  return contextSigns.test(text)
}

/** Whether secretlint can still find something: nearly its own patterns, since one run of it costs 0.3 ms at least. */
const lintSigns =
  /PRIVATE KEY|\b(?:A3T|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{13}|aws|x-oauth-basic|_authToken=|npm_\w{36}|xox[abopr]-|xapp-|hooks\.slack\.com\/services|:\/\/[^\s/@[]{1,256}:(?!\[redacted)[^\s/@]{1,256}@|T3BlbkFJ|sk-ant-api|lin_api_|SG\.\w{1,128}\.|shp(?:pa|ca|at|ss)_|gh[pousr]_\w{36}|github_pat_|ops_ey/

export function needsLint(text: string): boolean {
  return lintSigns.test(text)
}
