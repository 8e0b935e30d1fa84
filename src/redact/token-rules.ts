// Tokens that name themselves: by a prefix of their issuer, or by a mark inside. Lengths are the issuers', or a safe lower bound.
import { privateKeys } from './private-keys.ts'
import type { Rule } from './scan.ts'
import { isChoppy, isFiller, isScrambled, looksRandom } from './values.ts'

/** An underscore in front counts as an edge, unlike in `\b`: tokens are found in names of branches and files too. */
const edge = '(?<![A-Za-z0-9])'
const end = '(?![A-Za-z0-9])'
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** One kind of token: the prefixes it is issued with, and a pattern for the rest. */
function issued(kind: string, prefixes: readonly string[], rest: string, accept?: (secret: string) => boolean): Rule {
  const start = prefixes.map((prefix) => prefix.replaceAll(/[.+/|$]/g, '\\$&')).join('|')
  const pattern = new RegExp(`(?:${start})${rest}`, 'y')
  return {
    kind,
    signs: prefixes,
    atEdge: true,
    pattern,
    accept: (secret) => {
      const random = secret.slice(prefixes.find((one) => secret.startsWith(one))?.length)
      // `ghp_xxxxxxxx` shows what a token looks like.
      return !isFiller(random) && accept?.(random) !== false
    },
  }
}

/** One kind of token that is known by a mark inside: `head` is the pattern in front of the mark. */
function marked(kind: string, marks: readonly string[], head: string, rest: string): Rule {
  const mark = marks.map((one) => one.replaceAll('.', '\\.')).join('|')
  return {
    kind,
    signs: marks,
    pattern: new RegExp(`(?<=${edge}(?<head>${head}))(?:${mark})${rest}`, 'y'),
  }
}

/** One in thirty of 20 characters and one in four hundred of 34 has no digit. */
const isMixed = (random: string): boolean => looksRandom(random) || isScrambled(random) || isChoppy(random)

const letters = (text: string, each: string): string[] => [...each].map((letter) => text.replace('*', letter))

const modelProviders: readonly Rule[] = [
  issued('anthropic-key', ['sk-ant-'], '[a-z0-9]{2,12}-[\\w-]{20,200}'),
  issued('openai-key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], '[\\w-]{20,250}'),
  issued('openrouter-key', ['sk-or-v1-'], `[0-9a-f]{32,128}${end}`),
  issued('langfuse-key', ['sk-lf-'], uuid),
  issued('helicone-key', ['sk-helicone-'], '[\\w-]{16,100}', looksRandom),
  issued('context7-key', ['ctx7sk-'], uuid),
  issued('openai-key', ['sk-'], `[A-Za-z0-9]{32,128}${end}`, isMixed),
  issued('huggingface-token', ['hf_', 'api_org_'], `[A-Za-z0-9]{34,40}${end}`, isMixed),
  issued('groq-key', ['gsk_'], `[A-Za-z0-9]{48,60}${end}`),
  issued('replicate-token', ['r8_'], `[A-Za-z0-9]{37,40}${end}`),
  issued('perplexity-key', ['pplx-'], `[A-Za-z0-9]{40,60}${end}`),
  issued('xai-key', ['xai-'], `[A-Za-z0-9]{60,100}${end}`),
  issued('pinecone-key', ['pcsk_'], '[A-Za-z0-9_]{40,100}', looksRandom),
  issued('together-key', ['tgp_v1_'], '[\\w-]{40,60}'),
  issued('cerebras-key', ['csk-'], `[A-Za-z0-9]{32,64}${end}`, looksRandom),
  issued('nvidia-key', ['nvapi-'], '[\\w-]{60,80}'),
  issued('tavily-key', ['tvly-'], '(?:dev-|prod-)?[A-Za-z0-9]{20,60}', isMixed),
  issued('firecrawl-key', ['fc-'], `[0-9a-f]{32}${end}`),
  issued('jina-key', ['jina_'], '[0-9a-f]{32}[\\w-]{20,60}'),
  issued('voyage-key', ['pa-'], `[\\w-]{43}${end}`, looksRandom),
  issued('fireworks-key', ['fw_'], `[A-Za-z0-9]{22,24}${end}`, isMixed),
  issued('elevenlabs-key', ['sk_'], `[0-9a-f]{48}${end}`),
  issued('langsmith-key', ['lsv2_pt_', 'lsv2_sk_'], '[0-9a-f]{32}_[0-9a-f]{10}'),
  issued('e2b-key', ['e2b_'], `[0-9a-f]{40}${end}`),
  issued('daytona-key', ['dtn_'], `[0-9a-f]{64}${end}`),
  issued('runpod-key', ['rpa_'], `[A-Z0-9]{40,60}${end}`),
  issued('cursor-key', ['key_'], `[0-9a-f]{64}${end}`),
  issued('apify-token', ['apify_api_'], `[A-Za-z0-9]{34,40}${end}`),
  issued('wandb-key', ['wandb_v1_'], '[A-Za-z0-9_]{60,100}'),
]

const codeHosts: readonly Rule[] = [
  issued('github-token', letters('gh*_', 'pousr'), '[A-Za-z0-9]{36,255}'),
  issued('github-token', ['github_pat_'], '[A-Za-z0-9_]{50,255}'),
  issued(
    'gitlab-token',
    ['pat', 'dt', 'rt', 'rtr', 'cbt', 'ptt', 'ft', 'imt', 'agent', 'oas', 'soat', 'wt', 'ffct'].map((kind) => `gl${kind}-`),
    '[\\w-]{20,128}(?:\\.[0-9a-z]{2}\\.[0-9a-z]{9})?',
  ),
  issued('gitlab-token', ['GR1348941'], '[\\w-]{20,60}'),
  issued('bitbucket-token', ['ATBB'], `[A-Za-z0-9]{32}${end}`, isMixed),
  issued('atlassian-token', ['ATATT3', 'ATCTT3'], '[\\w=-]{100,250}'),
  issued('npm-token', ['npm_'], `[A-Za-z0-9]{36}${end}`),
  issued('pypi-token', ['pypi-AgE'], '[\\w-]{50,300}'),
  issued('rubygems-key', ['rubygems_'], `[0-9a-f]{48}${end}`),
  issued('crates-token', ['cio'], `[A-Za-z0-9]{32}${end}`, isMixed),
  issued('nuget-key', ['oy2'], `[a-z0-9]{43}${end}`),
  issued('docker-token', ['dckr_pat_', 'dckr_oat_'], '[\\w-]{27,64}'),
  issued('jfrog-token', ['AKCp'], `[A-Za-z0-9]{60,75}${end}`),
  issued('jfrog-token', ['cmVmdGtu'], `[A-Za-z0-9]{56}${end}`),
  issued('sonar-token', ['sqp_', 'squ_', 'sqa_'], `[0-9a-f]{40}${end}`),
  issued('sourcegraph-token', ['sgp_'], `(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}${end}`),
  issued('circleci-token', ['CCIPAT_', 'CCIPRJ_'], '[A-Za-z0-9]{20,24}_[0-9a-f]{40}'),
  issued('buildkite-token', ['bkua_'], `[0-9a-f]{40}${end}`),
  issued('infracost-key', ['ico-'], `[A-Za-z0-9]{32}${end}`, isMixed),
  issued('octopus-key', ['API-'], `[A-Z0-9]{25,36}${end}`, looksRandom),
  issued('postman-key', ['PMAK-'], '[0-9a-f]{24}-[0-9a-f]{34}'),
  issued('pulumi-token', ['pul-'], `[0-9a-f]{40}${end}`),
  issued('launchdarkly-key', ['sdk-', 'api-', 'mob-'], uuid),
  marked('terraform-token', ['.atlasv1.'], '[A-Za-z0-9]{14}', '[\\w-]{60,70}'),
]

const clouds: readonly Rule[] = [
  issued(
    'aws-key',
    ['AKIA', 'ASIA', 'ABIA', 'ACCA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA'],
    `[A-Z0-9]{16}${end}`,
    (key) => !key.endsWith('EXAMPLE'),
  ),
  issued('aws-key', ['ABSK', 'bedrock-api-key-'], '[\\w+/-]{80,400}={0,2}'),
  {
    kind: 'aws-key',
    signs: ['aws'],
    pattern:
      /(?<before>aws[^\n]{0,20}?secret[^\n]{0,20}?\\?["']?\s{0,4}[:=\s]\s{0,4}\\?["']?)[A-Za-z0-9/+]{40}={0,2}(?![A-Za-z0-9/+=])/iy,
    accept: (secret) => !secret.includes('EXAMPLE'),
  },
  {
    kind: 'azure-key',
    signs: ['accountkey=', 'sharedaccesskey=', 'accesskey='],
    pattern: /(?<before>(?:(?:Account|SharedAccess)Key|(?<=;)AccessKey)=)[A-Za-z0-9+/]{40,90}={0,2}/iy,
  },
  // The client secret of an Azure app.
  marked('azure-key', letters('*Q~', '0123456789'), '[\\w.~-]{3}', '[\\w.~-]{31,34}'),
  marked('azure-key', ['JQQJ99'], '[A-Za-z0-9]{52}', `[A-Za-z0-9]{26}${end}`),
  marked('azure-key', ['AZDO'], '[A-Za-z0-9]{76}', `[A-Za-z0-9]{4}${end}`),
  marked('azure-key', ['AzSeA'], '[A-Za-z0-9]{42}', `[A-D][A-Za-z0-9]{5}${end}`),
  marked('azure-key', ['AzFu'], '[\\w-]{44}', '[\\w-]{5}[AQgw]=='),
  issued('google-key', ['AIza'], '[\\w-]{35}'),
  issued('google-key', ['GOCSPX-'], '[\\w-]{28}'),
  issued('google-token', ['ya29.'], '[\\w.-]{20,400}', looksRandom),
  issued('google-token', ['1//0'], '[\\w-]{40,120}'),
  issued('alibaba-key', ['LTAI'], `[A-Za-z0-9]{16,24}${end}`, isMixed),
  issued('tencent-key', ['AKID'], `[A-Za-z0-9]{32}${end}`, isMixed),
  issued('digitalocean-token', letters('do*_v1_', 'opr'), `[0-9a-f]{64}${end}`),
  issued('databricks-token', ['dapi'], `[0-9a-f]{32}(?:-\\d)?${end}`),
  issued('vault-token', letters('hv*.', 'sbr'), '[\\w-]{24,300}'),
  issued('heroku-key', ['HRKU-'], '[\\w-]{36,80}'),
  issued('netlify-token', letters('nf*_', 'pcobu'), `[A-Za-z0-9]{36,40}${end}`),
  issued('vercel-token', ['vercel_blob_rw_'], '[A-Za-z0-9]{12,20}_[A-Za-z0-9]{24,40}'),
  issued('vercel-token', ['vcp_', 'vck_', 'vci_'], `[A-Za-z0-9]{24,70}${end}`, isMixed),
  issued('fly-token', ['fm1_', 'fm1a_', 'fm1r_', 'fm2_'], '[A-Za-z0-9+/=_-]{60,2000}'),
  issued('fly-token', ['fo1_'], '[\\w-]{43}'),
  issued('render-key', ['rnd_'], `[A-Za-z0-9]{20,40}${end}`, isMixed),
  issued('neon-key', ['napi_'], `[a-z0-9]{40,80}${end}`),
  issued('supabase-key', ['sbp_', 'sb_secret_'], '[\\w-]{30,80}'),
  issued('planetscale-token', ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], '[\\w.-]{32,64}'),
  issued('mongodb-key', ['mdb_sa_sk_'], '[\\w-]{32,60}'),
  issued('tailscale-key', ['tskey-'], '[a-z]{2,16}-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,60}'),
  issued('dynatrace-token', ['dt0c01.', 'dt0s01.', 'dt0s16.'], '[A-Z0-9]{8,24}\\.[A-Z0-9]{64}'),
  issued(
    'doppler-token',
    ['pt', 'st', 'ct', 'sa', 'scim', 'audit'].map((kind) => `dp.${kind}.`),
    '[\\w.-]{40,80}',
  ),
  issued('1password-token', ['ops_eyJ'], '[A-Za-z0-9+/=_-]{80,1500}'),
  issued('openshift-token', ['sha256~'], '[\\w-]{43}'),
  issued('cloudflare-key', ['v1.0-'], '[0-9a-f]{24}-[0-9a-f]{146}'),
  issued('prefect-key', ['pnu_', 'pnb_'], `[A-Za-z0-9]{36}${end}`),
  issued('scalingo-token', ['tk-us-', 'tk-eu-'], '[\\w-]{48}'),
]

const talk: readonly Rule[] = [
  issued('slack-token', letters('xox*-', 'abcdeoprs'), '[\\w%-]{10,400}', (token) => /\d/.test(token)),
  issued('slack-token', ['xoxe.xox'], '[bp]-\\d-[\\w-]{20,250}'),
  issued('slack-token', ['xapp-'], '\\d-[\\w-]{10,250}'),
  {
    kind: 'slack-webhook',
    signs: ['hooks.slack'],
    pattern: /(?<before>hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/]{20,200}/y,
  },
  {
    kind: 'discord-webhook',
    signs: ['api/webhooks/'],
    pattern: /(?<before>api\/webhooks\/\d{15,22}\/)[\w-]{40,100}/y,
  },
  {
    kind: 'teams-webhook',
    signs: ['/IncomingWebhook/'],
    pattern: /(?<before>\/IncomingWebhook\/)[0-9a-f]{32}\/[\w/-]{20,120}/y,
  },
  {
    kind: 'discord-token',
    // The number of a bot in base64: the beginnings that two digits can have.
    signs: ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'].flatMap((start) => letters(`${start}*`, 'AEIMQUYcgk')),
    pattern: /(?<![A-Za-z0-9-])[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,40}(?![\w-])/y,
    accept: looksRandom,
  },
  marked('telegram-token', [':AA'], '(?:bot)?\\d{8,10}', `[\\w-]{33}${end}`),
  issued('sendgrid-key', ['SG.'], '[\\w-]{16,32}\\.[\\w-]{32,64}'),
  issued('twilio-key', letters('SK*', '0123456789abcdef'), `[0-9a-f]{31}${end}`),
  marked('mailchimp-key', letters('-us*', '123456789'), '[0-9a-f]{32}', `\\d?${end}`),
  issued('mailgun-key', ['key-'], `[0-9a-f]{32}${end}`),
  issued('brevo-key', ['xkeysib-', 'xsmtpsib-'], '[0-9a-f]{64}-[A-Za-z0-9]{16}'),
  issued('resend-key', ['re_'], `[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}${end}`, isMixed),
  issued('hubspot-token', ['pat-na1-', 'pat-na2-', 'pat-eu1-', 'pat-ap1-'], uuid),
  issued('facebook-token', ['EAA'], `[A-Za-z0-9]{90,300}${end}`, looksRandom),
  issued('twitter-token', ['AAAAAAAAAAAAAAAAAAAAA'], '[A-Za-z0-9%]{60,140}', (token) => token.includes('%')),
]

const services: readonly Rule[] = [
  issued('stripe-key', letters('*k_live_', 'srp').concat(letters('*k_test_', 'srp')), '[A-Za-z0-9]{16,200}'),
  issued('stripe-key', ['whsec_'], '[A-Za-z0-9+/=]{24,100}'),
  issued('square-token', ['EAAA'], `[\\w-]{60}${end}`, looksRandom),
  issued('square-token', ['sq0atp-', 'sq0csp-', 'sq0idp-'], '[\\w-]{22,43}'),
  issued('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], `[0-9a-fA-F]{32}${end}`),
  issued('easypost-key', ['EZAK', 'EZTK'], `[A-Za-z0-9]{54}${end}`),
  issued('flutterwave-key', ['FLWSECK_TEST-', 'FLWSECK-'], '[0-9a-f]{12,32}(?:-X)?'),
  issued('shippo-token', ['shippo_live_', 'shippo_test_'], `[0-9a-f]{40}${end}`),
  issued('duffel-token', ['duffel_live_', 'duffel_test_'], '[\\w-]{43}'),
  issued('plaid-token', ['access-sandbox-', 'access-development-', 'access-production-'], uuid),
  issued('paddle-key', ['pdl_live_apikey_', 'pdl_sdbx_apikey_'], '[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}'),
  issued('polar-token', ['polar_oat_', 'polar_pat_'], '[A-Za-z0-9]{32,60}'),
  issued('linear-key', ['lin_api_', 'lin_oauth_', 'lin_wh_'], `[A-Za-z0-9]{32,64}${end}`),
  issued('notion-token', ['ntn_'], `\\d{11}[A-Za-z0-9]{35}${end}`),
  issued('notion-token', ['secret_'], `[A-Za-z0-9]{43}${end}`, isMixed),
  issued('figma-token', letters('fig*_', 'dou'), '[\\w-]{40,200}'),
  issued('airtable-token', ['pat'], `[A-Za-z0-9]{14}\\.[0-9a-f]{64}${end}`),
  issued(
    'asana-token',
    ['1/', '2/'].flatMap((start) => letters(`${start}*`, '0123456789')),
    '\\d{12,18}[:/][\\d:a-f/]{32,60}',
  ),
  issued('clickup-token', letters('pk_*', '123456789'), `\\d{5,9}_[A-Z0-9]{32}${end}`),
  issued('contentful-token', ['CFPAT-'], '[\\w-]{43}'),
  issued('dropbox-token', ['sl.'], '(?:u\\.)?[\\w-]{130,1500}'),
  issued('mapbox-token', ['sk.eyJ', 'tk.eyJ'], '[\\w-]{40,200}\\.[\\w-]{20,40}'),
  issued('typeform-token', ['tfp_'], '[\\w-]{40,60}'),
  issued('readme-key', ['rdme_'], `[a-z0-9]{60,80}${end}`),
  issued('newrelic-key', ['NRAK-'], `[A-Z0-9]{27}${end}`),
  issued('newrelic-key', ['NRII-', 'NRIQ-'], '[\\w-]{32}'),
  issued('offshoot-token', ['offshoot_'], '[\\w-]{43}(?![\\w-])'),
  issued('sentry-token', ['sntrys_', 'sntryu_'], '[\\w+/=-]{40,300}'),
  issued('grafana-token', ['glsa_'], '[A-Za-z0-9]{32}_[0-9a-f]{8}'),
  issued('grafana-token', ['glc_', 'eyJrIjoi'], '[\\w+/-]{32,400}={0,2}'),
  issued('posthog-key', ['phx_'], `[A-Za-z0-9]{32,64}${end}`, isMixed),
  issued('statsig-key', ['secret-'], `[A-Za-z0-9]{40,60}${end}`, isMixed),
  issued('yandex-token', ['y0_'], '[\\w-]{50,70}'),
  issued('yandex-key', ['AQVN'], '[\\w-]{35,38}'),
  issued('adobe-secret', ['p8e-'], `[A-Za-z0-9-]{32}${end}`, looksRandom),
  issued('clojars-token', ['CLOJARS_'], `[0-9a-f]{60}${end}`),
  issued('packagist-token', ['packagist_uut_', 'packagist_ort_', 'packagist_out_'], '[0-9a-f]{30,80}'),
  issued('jsr-token', ['jsrp_', 'jsrd_'], `[A-Za-z0-9]{30,60}${end}`, isMixed),
  issued('matrix-token', ['syt_', 'syr_'], '[A-Za-z0-9+/=]{1,100}_[A-Za-z]{20}_[A-Za-z0-9]{6}'),
  issued('ntfy-token', ['tk_'], `[a-z0-9]{29}${end}`, looksRandom),
  issued('frameio-token', ['fio-u-'], '[\\w-]{60,70}'),
  issued('1password-key', ['A3-'], `[A-Z0-9]{6}-(?:[A-Z0-9]{5,6}-){3,5}[A-Z0-9]{5}${end}`),
  issued('braintree-token', ['access_token$'], '(?:production|sandbox)\\$[a-z0-9]{16}\\$[0-9a-f]{32}'),
  marked('firebase-key', [':APA91b'], 'AAAA[\\w-]{7}', '[\\w-]{130,170}'),
  issued('infisical-token', ['st.'], '[0-9a-f-]{24,36}\\.[0-9a-f]{32}\\.[0-9a-f]{32,64}'),
  issued('adyen-key', ['AQE'], '[\\w+/=-]{80,300}', looksRandom),
  {
    kind: 'password-hash',
    signs: ['$1$', '$5$', '$6$', '$y$', '$2a$', '$2b$', '$2y$', '$apr1$', '$argon2'],
    pattern:
      /\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|y|apr1)\$(?:rounds=\d{1,9}\$|j\w{1,4}\$)?[./A-Za-z0-9]{1,30}\$[./A-Za-z0-9]{22,86}|argon2(?:id|i|d)\$v=\d\d\$m=\d{1,9},t=\d{1,9},p=\d{1,3}\$[A-Za-z0-9+/]{8,100}\$[A-Za-z0-9+/]{20,200})(?![A-Za-z0-9])/y,
  },
  // Three parts when it is signed, five when it is encrypted.
  {
    kind: 'jwt',
    signs: ['eyJ'],
    pattern:
      /(?<![A-Za-z0-9])(?=(?<start>eyJ[\w-]{8,2000}))\k<start>\.(?:eyJ[\w-]{8,8000}\.[\w-]{8,2000}|[\w-]{0,800}\.[\w-]{10,40}\.[\w-]{8,8000}\.[\w-]{16,60})/y,
  },
]

export const tokenRules: readonly Rule[] = [...privateKeys, ...modelProviders, ...codeHosts, ...clouds, ...talk, ...services]
