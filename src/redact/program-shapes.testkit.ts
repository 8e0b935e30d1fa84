// Places in what programs print and take: lists of arguments, listings of clusters, structs, forms, and prose around them.
import type { Make } from './random.testkit.ts'

const raw: Make = (r) => r.alnum(24)
const strong: Make = (r) => r.strong()
const plain: Make = (r) => r.plain()
const base64: Make = (r) => r.base64(64)
const issued: Make = (r) => r.alnum(40)
const knit: Make = (r) => r.knit()
const codes =
  (join: string): Make =>
  (r) =>
    Array.from({ length: 4 }, () => r.lower(8)).join(join)

export const programs: readonly (readonly [name: string, template: string, make: Make])[] = [
  // Commands as a list.
  ['mysql as a list', "['mysql','-uroot','-p§']", plain],
  ['mysql as a list with blanks', '["mysql", "-u", "root", "-p§", "app"]', plain],
  ['sshpass as a list', '["sshpass","-p","§","ssh","me@host"]', plain],
  ['redis-cli as a list', "['redis-cli','-a','§']", plain],
  ['argument as a list of YAML', 'args:\n  - --token\n  - §\n  - --json', raw],
  ['argument as a list of YAML in quotes', 'args:\n  - "--api-key"\n  - "§"\n', raw],
  // Options of any name.
  ['flag --db-password', 'deploy --db-password §', strong],
  ['flag --admin-password', 'az sql server create --admin-user sa --admin-password §', strong],
  ['flag --master-user-password', 'aws rds create-db-instance --master-user-password §', strong],
  ['flag --root-password=', 'mysqladmin --root-password=§', strong],
  ['flag --webhook-secret', 'gh-app --webhook-secret §', raw],
  ['flag --registry-token', 'cargo publish --registry-token §', raw],
  // Clusters.
  [
    'Kubernetes Secret below items',
    'apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    pin: §\n  kind: Secret\n  metadata:\n    name: db\nkind: List\n',
    (r) => `${r.letters(14)}==`,
  ],
  [
    'second Kubernetes Secret below items',
    'items:\n- kind: Secret\n  metadata:\n    name: a\n  data:\n    a: eA==\n- kind: Secret\n  metadata:\n    name: b\n  data:\n    pin: §\n',
    (r) => `${r.letters(14)}==`,
  ],
  ['Kubernetes Secret, stringData with a block', 'kind: Secret\nstringData:\n  conf: |\n    host=db\n    word=§\n', plain],
  // Databases and keys.
  ['Redis user', 'user bob on >§ ~* +@all', plain],
  ['Redis ACL SETUSER', "ACL SETUSER bob on '>§' ~*", plain],
  ['symmetric JSON Web Key', '{"kty":"oct","k":"§"}', (r) => r.url(43)],
  ['symmetric JSON Web Key, key first', '{"k": "§", "alg": "HS256", "kty": "oct"}', (r) => r.url(43)],
  [
    'private key as grep -n prints it',
    'key.pem:1:-----BEGIN PRIV¦ATE KEY-----\nkey.pem:2:§\nkey.pem:3:-----END PRIV¦ATE KEY-----',
    base64,
  ],
  ['private key as grep -n prints one file', '1:-----BEGIN PRIV¦ATE KEY-----\n2:§\n3:-----END PRIV¦ATE KEY-----', base64],
  // Structs as languages print them.
  ['Java object', 'User{password=§, x=1}', strong],
  ['Java object, last', 'User(name=bob, password=§)', strong],
  ['Go map', 'map[password:§ user:bob]', strong],
  ['Go map, last', 'map[host:db password:§]', strong],
  ['Rust option', 'Config { password: Some("§"), port: 1 }', strong],
  ['PHP print_r', 'Array\n(\n    [password] => §\n    [host] => db\n)', strong],
  ['PHP var_dump', 'array(1) {\n  ["password"]=>\n  string(11) "§"\n}', strong],
  // Fields.
  ['JSON list', '{"password":["§"]}', strong],
  ['JSON object with a value', '{"password":{"value":"§"}}', strong],
  ['JSON Key and Value', '{"Key":"ApiToken","Value":"§"}', raw],
  ['CloudFormation parameter', '{"ParameterKey":"DBPassword","ParameterValue":"§"}', strong],
  ['SSM parameter', '{"Name":"/prod/db/password","Type":"SecureString","Value":"§","Version":1}', strong],
  ['SecretString', '{"Name":"prod/db","SecretString":"§"}', strong],
  ['XML with attributes', '<wsse:Password Type="x#PasswordText">§</wsse:Password>', strong],
  ['XML property', '<property name="connection.password">§</property>', strong],
  ['input of a form, value first', '<input value="§" name="password">', strong],
  ['multipart form', 'Content-Disposition: form-data; name="password"\r\n\r\n§\r\n--x', strong],
  // Prose.
  ['prose, for', 'My password for staging is §', strong],
  ['prose, of', 'The password of bob is §.', strong],
  ['prose, use', 'use the password § to log in', strong],
  ['prose, table with a column', '| user | password |\n| --- | --- |\n| bob | § |\n', strong],
  ['prose, table with a column in front', '| Password | Host |\n|---|---|\n| § | db |\n', strong],
  ['prose, strong in HTML', '<strong>Password:</strong> §', strong],
  ['recovery codes in a line', 'recovery codes: §', (r) => `${r.lower(5)}-${r.lower(5)}`],
  // Tokens that happen to have no digit.
  ['Hugging Face token of letters alone', 'use h¦f_§ now', (r) => r.letters(34)],
  ['OpenAI key of letters alone', 'use s¦k-§ now', (r) => r.letters(48)],
  ['Notion token of letters alone', 'use secr¦et_§ now', (r) => r.letters(43)],
  // Addresses.
  ['Zapier webhook', 'https://hooks.zapier.com/hooks/catch/1234567/§/', (r) => r.lower(7)],
  ['Make webhook', 'https://hook.eu1.make.com/§', (r) => r.lower(32)],
  ['Mattermost webhook', 'https://chat.example.test/hooks/§', (r) => r.lower(26)],
  ['query token_hash', 'https://x.test/auth/confirm?token_hash=§&type=email', (r) => `pkce_${r.hex(56)}`],
  ['URL with a token as its user', 'git clone https://§:x-oauth-basic@github.com/x/y', (r) => r.hex(40)],
  ['URL with a token and no password', 'curl https://§:@api.stripe.com/v1', issued],
  ['URL with a token and a filler', 'https://§:x@api.example.test/v1', issued],
  ['URL with a token and a password', 'https://4f9d2c7be81a4f9d2c7be81a4f9d2c7b:§@api.example.test/v1', strong],
  // Requests as browsers record them.
  ['recorded Cookie', '{"name":"Cookie","value":"sid=§"}', issued],
  ['recorded Cookie over lines', '{\n  "name": "cookie",\n  "value": "theme=dark; sid=§"\n}', issued],
  ['recorded Cookie, value first', '{"value": "sid=§", "name": "Cookie"}', issued],
  ['recorded Set-Cookie', '{"name":"Set-Cookie","value":"sid=§; Path=/; HttpOnly"}', issued],
  ['recorded Cookie in YAML', '- name: Cookie\n  value: sid=§', issued],
  ['recorded Authorization', '{"name":"Authorization","value":"§"}', issued],
  ['recorded Authorization Basic', '{"name": "Authorization", "value": "Basic §"}', (r) => r.pair()],
  ['recorded X-Auth-Token', '{"name":"X-Auth-Token","value":"§"}', issued],
  ['recorded session cookie', '{"cookies":[{"name":"connect.sid","value":"§","path":"/"}]}', issued],
  ['recorded cookie of another name', '{"cookies":[{"name":"__Host-sid","value":"§","path":"/"}]}', issued],
  ['session of Java', 'GET /app;jsessionid=§ HTTP/1.1', (r) => r.upper(32)],
  ['session of Java, alone', 'JSESSIONID=§', (r) => r.upper(32)],
  ['session of PHP, alone', 'set PHPSESSID=§ and reload', (r) => r.lower(26)],
  // Names.
  ['secret key', 'Secret Key: §', issued],
  ['secret key of ini', 'secret key = §', issued],
  ['secret key in capitals', 'SECRET KEY: §', issued],
  ['secret key in prose', 'the secret key is §', issued],
  ['pass phrase', 'pass phrase: §', strong],
  ['unseal key', 'Unseal Key 1: §', (r) => `${r.base64(43)}=`],
  ['password of a user', 'Password (admin): §', strong],
  ['password for a user', 'Password for user bob: §', strong],
  ['password for an address', "Password for 'https://bob@git.example.test': §", strong],
  // Assignments of other languages.
  ['Go token', 'token := "§"', issued],
  ['Python bytes', "{'password': b'§'}", strong],
  ['Python bytes of a constant', 'SECRET_KEY = b"§"', issued],
  ['Python bytes of a token', "token = b'§'", issued],
  ['C define', '#define WIFI_PASS "§"', plain],
  ['C define of a token', '#define  BLYNK_AUTH_TOKEN   "§"', raw],
  ['C define of a key', '#define STAPSK  "§"', strong],
  ['C array', 'const char password[] = "§";', strong],
  ['jwt.sign', "jwt.sign(payload, '§')", raw],
  ['jwt.sign of an object', "jwt.sign({ sub: user.id }, '§', { expiresIn: '1h' })", plain],
  ['jwt.encode', 'jwt.encode(claims, "§", algorithm="HS256")', raw],
  ['login of a client', "smtp.login('bob@example.test', '§')", strong],
  ['login of a client with a name', 'server.login(sender, "§")', strong],
  ['Terraform default', 'variable "db_password" {\n  type    = string\n  default = "§"\n}\n', strong],
  // Several values.
  ['variable with several keys', 'API_KEYS=§', (r) => `${r.alnum(32)},${r.alnum(32)}`],
  ['variable with several keys in quotes', 'export API_KEYS="§"', (r) => `${r.alnum(32)}, ${r.alnum(32)}`],
  ['variable with several passwords', 'APP_PASSWORDS=§', (r) => `${r.strong()},${r.strong()}`],
  ['list of keys', 'api_keys = ["§"]', (r) => `${r.alnum(32)}", "${r.alnum(32)}`],
  ['list of keys over lines', "API_KEYS = [\n    '§',\n    '§',\n]", raw],
  ['list of passwords', '{"passwords": ["§"]}', (r) => `${r.strong()}","${r.strong()}`],
  ['list of tokens', "const accessTokens = ['§']", (r) => `${r.alnum(32)}', '${r.alnum(32)}`],
  ['list of keys in YAML', 'api_keys:\n  - §\n  - §\nother: 1', raw],
  // Passwords with signs between short words.
  ['knit password', 'password: §', knit],
  ['knit password in quotes', '"password": "§"', knit],
  ['knit password of a variable', 'DB_PASSWORD=§', knit],
  // Recovery codes.
  ['recovery codes as a list', 'Recovery codes:\n- §\n', codes('\n- ')],
  ['recovery codes, numbered', 'Recovery codes:\n\n1. §\n', codes('\n1. ')],
  ['recovery codes, each in a line', 'Your backup codes:\n§\n', codes('\n')],
  ['recovery codes with blanks', 'Recovery codes: §', codes(' ')],
  ['recovery codes with commas', 'Recovery codes: § (keep them)', codes(', ')],
  ['recovery codes of digits', 'Backup codes:\n§\n', (r) => `${r.digits(4)} ${r.digits(4)}\n${r.digits(4)} ${r.digits(4)}`],
  // Lines of files.
  ['masterauth', 'masterauth §', plain],
  ['pgpass line', 'db.internal:5432:app:me:§', plain],
  // Commands.
  ['flag -password', 'java -jar app.jar -user sa -password §', strong],
  ['flag -token=', 'agent -token=§', raw],
  ['etcdctl', 'etcdctl --user root:§ get foo', plain],
  ['cargo login', 'cargo login §', raw],
  ['net user', 'net user bob § /add', strong],
  // Options over lines.
  ['flag --api-token over lines', 'mytool --api-token \\\n  §', raw],
  ['flag --db-password over lines', 'mytool \\\n  --db-password \\\n  § \\\n --x 1', strong],
  // YAML.
  ['flow mapping', 'creds: {user: bob, password: §}', raw],
  ['flow mapping, first', 'creds: {password: §, user: bob}', raw],
  ['flow mapping with a token', 'auth: {token: §}', issued],
]
