// Secrets in the arguments of commands.
import { newLine, pattern, quoted } from './patterns.ts'
import type { Rule } from './scan.ts'
import { isLiteral, looksChosen, looksTold } from './values.ts'

const argument = `(?:${quoted(4)}|[^\\s"'\`$<>(){}\\[\\]|;&\\\\-][^\\s"'\`<>|;&\\\\]{3,400})`
const command = (names: string, upTo: string): string =>
  `(?<before>(?<![\\w.-])(?:${names})(?![\\w-])(?:[^\\n|;]|\\\\\\n){0,200}?\\s${upTo})`
const afterFlag = (names: readonly string[], upTo: string, signs: readonly string[] = names): Rule => ({
  kind: 'argument',
  signs,
  pattern: pattern(`${command(names.join('|'), upTo)}${argument}`),
  // `-P 8080`: a port.
  accept: (secret) => isLiteral(secret) && !/^\d{1,5}$/.test(secret),
})

/** `["sshpass", "-p", "x"]` */
const inList = (names: string, upTo: string, signs: readonly string[]): Rule => ({
  kind: 'argument',
  signs,
  pattern: pattern(
    `(?<before>(?<=["'](?:[\\w./-]{0,60}/)?(?:${names})["'],[^\\n\\]]{0,200})["']${upTo})[^\\s"'\`$<>,]{4,128}(?<after>["'])`,
  ),
  accept: (secret) => isLiteral(secret) && !/^\d{1,5}$/.test(secret),
})

export const commands: readonly Rule[] = [
  {
    kind: 'argument',
    signs: [
      '--passw',
      '--passphrase',
      '--token',
      '--api-key',
      '--api_key',
      '--apikey',
      '--secret',
      '--access-token',
      '--auth-token',
      '--client-secret',
      '--oauth2-bearer',
      '--pat',
    ],
    pattern: pattern(
      `(?<before>--(?:password|passwd|passphrase|token|api[-_]?key|secret|secret-key|access-token|auth-token|client-secret|oauth2-bearer|pat)(?:=|\\s{1,2}|[ \\t]{1,2}\\\\${newLine}[ \\t]{0,20}))(?:${quoted(6)}|[^\\s"'\`$<>{}[\\]-][^\\s"'\`<>]{5,400})`,
    ),
    accept: (secret, before) => (/pass/.test(before) ? looksChosen(secret) : looksChosen(secret) && secret.length >= 8),
  },
  {
    kind: 'password',
    signs: ['curl ', 'wget ', 'http ', 'https ', 'etcdctl '],
    pattern: pattern(
      `${command('curl|wget|https?|etcdctl', '(?:-u|--user|-a|--auth|--proxy-user|-U)[\\s=]{0,2}["\']?[\\w.@+-]{1,64}:')}[^\\s"'$<>]{4,128}`,
    ),
    accept: isLiteral,
  },
  afterFlag(
    ['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mariadb', 'mariadb-dump', 'mariadb-admin'],
    '-p(?!\\s|rot|ort|assin|assout|assword)',
    ['mysql', 'mariadb'],
  ),
  afterFlag(['sshpass'], '-p\\s{0,2}'),
  afterFlag(
    [
      'docker login',
      'podman login',
      'buildah login',
      'helm registry login',
      'oras login',
      'crane auth login',
      'az login',
      'oc login',
    ],
    '-p[ \\t]{1,2}',
  ),
  afterFlag(['mongosh', 'mongo', 'mongodump', 'mongorestore', 'mongoimport', 'cqlsh'], '-p[ \\t]{1,2}'),
  afterFlag(['redis-cli', 'valkey-cli', 'keydb-cli'], '-a[ \\t]{1,2}'),
  afterFlag(['ldapsearch', 'ldapadd', 'ldapmodify', 'ldapdelete', 'ldappasswd', 'ldapwhoami'], '-w\\s{0,2}'),
  afterFlag(['sqlcmd', 'bcp', 'mosquitto_pub', 'mosquitto_sub', 'zip', 'unzip'], '-P[ \\t]{1,2}'),
  afterFlag(['7z', '7za', '7zz'], '-p', ['7z ', '7za ', '7zz ']),
  afterFlag(['smbclient', 'rpcclient', 'net rpc', 'smbget', 'winexe'], '(?:-U|--user)[\\s=]{0,2}["\']?[\\w.\\\\/@-]{1,64}%'),
  afterFlag(['openssl'], '-(?:passin|passout|pass|password)[ \\t]{1,2}pass:'),
  afterFlag(['openssl enc', 'openssl aes-256-cbc'], '-[kK][ \\t]{1,2}'),
  afterFlag(['gpg', 'gpg2'], '--passphrase[\\s=]{1,2}', ['gpg']),
  afterFlag(['keytool', 'jarsigner'], '-(?:storepass|keypass|srcstorepass|deststorepass)[ \\t]{1,2}'),
  afterFlag(['htpasswd'], '-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\\s+\\S{1,100}\\s+[\\w.@-]{1,64}\\s+'),
  afterFlag(['xfreerdp', 'wfreerdp'], '\\/p:'),
  {
    kind: 'argument',
    signs: [
      'vault login',
      'vault operator unseal',
      'rabbitmqctl add_user',
      'rabbitmqctl change_password',
      'cargo login',
      'net user',
    ],
    pattern: pattern(
      `(?<before>(?<![\\w.-])(?:vault (?:login|operator unseal)|cargo login|(?:rabbitmqctl (?:add_user|change_password)|net user)\\s[\\w.@-]{1,64})\\s{1,2})${argument}`,
    ),
    accept: looksChosen,
  },
  afterFlag(['twine', 'cypher-shell'], '-p[ \\t]{1,2}'),
  afterFlag(['knife'], '-P[ \\t]{1,2}'),
  afterFlag(['gh secret set'], '(?:--body|-b)[\\s=]{1,2}'),
  afterFlag(['security'], '(?:add|find|set)-[\\w-]{4,40}\\s[^\\n|;]{0,200}?-w[ \\t]{1,2}'),
  afterFlag(['x11vnc', 'vncviewer', 'plink', 'pscp'], '-(?:passwd|pw)[ \\t]{1,2}'),
  afterFlag(['net use'], '\\/user:[\\w.\\\\@-]{1,64}[ \\t]{1,2}'),
  afterFlag(['sqlplus', 'sqlldr', 'expdp', 'impdp'], '["\\\']?[\\w$#]{1,40}\\/(?=[^\\s@]{1,128}@)'),
  afterFlag(['poetry config'], '(?:http-basic\\.[\\w-]{1,60}[ \\t]{1,2}[\\w.@-]{1,64}|pypi-token\\.[\\w-]{1,60})[ \\t]{1,2}'),
  afterFlag(['ngrok'], '(?:config\\s)?(?:add-)?authtoken[ \\t]{1,2}'),
  {
    kind: 'argument',
    signs: ['.password=', '.passwd=', '.token=', '.secret=', '.login='],
    pattern: pattern(`(?<before>(?<=\\s-D[\\w.-]{1,60})\\.(?:password|passwd|token|secret|login)=)[^\\s"'\`$<>{}]{6,400}`, 'i'),
    accept: looksChosen,
  },
  // Java and Go have options with one dash.
  {
    kind: 'argument',
    signs: ['-password', '-passwd', '-passphrase', '-secret', '-token', '-apikey', '-api-key'],
    pattern: pattern(
      `(?<before>(?<=(?:^|[\\s"'\`]))-(?:password|passwd|passphrase|secret|token|api-?key)(?:=|[ \\t]{1,2}))${argument}`,
    ),
    accept: (secret) => secret.length >= 8 && looksTold(secret),
  },
  // `--db-password x`: any name in front.
  {
    kind: 'argument',
    signs: ['-password', '-passwd', '-passphrase', '-secret', '-token', '-api-key'],
    pattern: pattern(
      `(?<before>(?<=(?:^|[\\s"'\`])--(?!(?:no|use|ask|max|min|with|without|show|skip|reset)-)[a-z][\\w-]{0,40})-(?:password|passwd|passphrase|secret|token|api-key)(?:=|\\s{1,2}|[ \\t]{1,2}\\\\${newLine}[ \\t]{0,20}))(?:${quoted(6)}|[^\\s"'\`$<>{}[\\]-][^\\s"'\`<>]{5,400})`,
    ),
    accept: (secret) => secret.length >= 8 && looksChosen(secret),
  },
  // The same as a list of YAML.
  {
    kind: 'argument',
    signs: ['- --', '- "--', "- '--"],
    pattern: pattern(
      `(?<before>- ["']?--(?:[a-z][\\w-]{0,40}-)?(?:password|passwd|passphrase|token|api[-_]?key|secret)["']?[ \\t]{0,4}${newLine}[ \\t]{0,20}- )(?:${quoted(6)}|[^\\s"'\`$<>{}[\\]-][^\\s"'\`<>]{5,400})`,
    ),
    accept: (secret) => secret.length >= 8 && looksChosen(secret),
  },
  // The arguments as a list: `["curl", "-u", "me:x"]`.
  inList('mysql(?:dump|admin|import)?|mariadb(?:-dump|-admin)?', '-p', ['"-p', "'-p"]),
  inList(
    'sshpass|mongo(?:sh|dump|restore)?|cqlsh|twine|(?:docker|podman|helm)["\'],\\s{0,2}["\'](?:registry["\'],\\s{0,2}["\'])?login',
    '-p["\']\\s{0,2},\\s{0,20}["\']',
    ['"-p"', "'-p'"],
  ),
  inList('redis-cli|valkey-cli|keydb-cli', '-a["\']\\s{0,2},\\s{0,20}["\']', ['"-a"', "'-a'"]),
  {
    kind: 'password',
    signs: ['"-u"', "'-u'", '"--user"'],
    pattern: /(?<before>(?<=curl["'][^\n]{0,200})["'](?:-u|--user)["']\s{0,2},\s{0,20}["'][\w.@+-]{1,64}:)[^\s"'$<>]{4,128}/y,
    accept: isLiteral,
  },
  {
    kind: 'argument',
    signs: ['--from-literal'],
    pattern: pattern(`(?<before>--from-literal[\\s=]["']?[\\w.-]{0,60}=)[^\\s"'\`$<>]{4,400}`),
    accept: isLiteral,
  },
  {
    kind: 'password',
    signs: ['convertto-securestring'],
    pattern: pattern(`(?<before>ConvertTo-SecureString\\s{1,3}(?:-String\\s{1,3})?)${quoted(4)}`, 'i'),
    accept: isLiteral,
  },
  {
    kind: 'password',
    signs: ['echo ', 'printf ', '<<<'],
    pattern: pattern(
      `(?<before>(?:echo|printf)\\s{1,2}(?:-n\\s)?(?:'%s\\\\n'\\s)?)${argument}(?<after>\\s{0,3}\\|\\s{0,3}(?:sudo\\s(?:-\\w\\s)?-S|docker login|passwd|chpasswd|gh auth login))`,
    ),
    accept: isLiteral,
  },
]
