// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell and templates are among the texts
// Harmless text in the notations of program-shapes.testkit.ts.

export const programs: readonly (readonly [name: string, text: string])[] = [
  [
    'commands as a list',
    "['docker','run','-p','8080:80'], [\"mkdir\",\"-p\",\"a/b1c2\"], ['ls','-a','dir12'], ['mysql','-u','root']",
  ],
  ['commands as a list, references', '["sshpass","-p","$PASS","ssh"], [\'redis-cli\', \'-a\', password], ["mysql", "-p", "app"]'],
  ['arguments as a list of YAML', 'args:\n  - --token\n  - $(TOKEN_1)\n  - --password\n  - --json\n  - --token-ttl\n  - 24h'],
  [
    'options of other kinds',
    '--no-password x1y2z3; --password-file /run/a1; --use-token true; --max-token 4096 --ask-password --db-password $DB_PASSWORD',
  ],
  ['options in prose', 'pass --db-password to set it, or --admin-password <password>, --webhook-secret "${SECRET}"'],
  [
    'ConfigMap below items',
    'items:\n- apiVersion: v1\n  data:\n    region: eu-west-1\n  kind: ConfigMap\n  metadata:\n    name: db2\nkind: List\n',
  ],
  [
    'ConfigMap behind a Secret',
    'items:\n- kind: Secret\n  metadata:\n    name: a\n- kind: ConfigMap\n  data:\n    region: eu-west-1\n',
  ],
  ['users in prose', 'the user bob on >2 servers; user bob on > next; user on >=18.2; ACL SETUSER bob on +@all'],
  ['key of a map', '{"k":"v1","kty":"RSA","n":"abc"} {"k": 10, "kty": "oct"} {"kty":"oct","k":"..."}'],
  [
    'certificate as grep -n prints it',
    'a.pem:1:-----BEGIN CERTIFICATE-----\na.pem:2:TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQg\na.pem:3:-----END CERTIFICATE-----',
  ],
  ['structs', 'User{password=null, x=1} User{password=***, token=} User(password=hashedPassword, name=x) Login{password=String}'],
  ['Go maps', 'map[password:<nil> user:bob] map[string]string map[token:true] var m map[string]Password'],
  ['Rust options', 'password: Some(password2), token: Some("token"), secret: None, api_key: Some(key.into())'],
  ['PHP arrays', '[password] => Array\n[\'password\'] => $request->password\n["token"]=>\n  string(0) ""\n["secret"]=>\n  NULL'],
  [
    'lists and objects',
    '{"password":["required","min:8"],"token":{"value":"string","type":"x"},"secret":{"value":null},"password":{"value":"${PW1}"}}',
  ],
  [
    'keys and values',
    '{"Key":"Name","Value":"web-server-1"},{"Key":"TokenLimit","Value":"4096"},{"ParameterKey":"InstanceType","ParameterValue":"t3.micro1"}',
  ],
  ['names and values', '{"Name":"/prod/db/host","Type":"String","Value":"db1.example.test"},{"SecretString":"{{resolve}}"}'],
  [
    'XML elements',
    '<xs:Password type="xs:string2"/><Password Type="x">string</Password><property name="connection.url">jdbc:x1</property><TokenCount unit="k">128k1</TokenCount>',
  ],
  [
    'inputs of forms',
    '<input value="" name="password"><input value="{{ pw1 }}" name="password"><input value="Sign in2" name="submit"><input value="on1" name="show_password_hint">',
  ],
  ['multipart fields', 'form-data; name="password"\n\nform-data; name="file"; filename="a1.txt"\n\nhello123'],
  [
    'prose around passwords',
    'use the password field; use the password manager 1Password; the password of bob is wrong; My password for staging is expired; the password for the user is required',
  ],
  [
    'prose about tokens',
    'use the token bucket algorithm; the token of the user is refreshed; the secret for production is rotated every 30d; use the secret_key2 variable',
  ],
  [
    'tables about passwords',
    '| field | password |\n| --- | --- |\n| type | string |\n| min | 8 |\n| hash | sha256 |\n| rule | at-least-12-chars |',
  ],
  ['headings of HTML', '<strong>Password:</strong> required <b>Token:</b> optional2'],
  ['codes in a line', 'recovery codes: see-below, backup codes: none, error codes: e1234-12345'],
  [
    'addresses of hooks',
    'https://docs.example.test/hooks/use-state-and-effects https://hooks.zapier.com/hooks/catch/ https://github.com/a/b/hooks/pre-commit',
  ],
  // Addresses.
  [
    'addresses with users',
    'postgres://postgres.project-of-2026:${DB_PASS}@db.test https://deploy-bot-of-the-team:@git.test/a http://service-account-2:$PASS@x.test ssh://git:@host/a',
  ],
  [
    'addresses with long hosts',
    'https://a1b2c3d4e5f6a7b8c9d0e1f2.example.test:8443/a@b and http://node20-runner-alpha-17:3000/x@2',
  ],
  // Recorded requests.
  [
    'recorded headers',
    '{"name":"Cookie","value":""},{"name":"Set-Cookie","value":"theme=dark; Path=/"},{"name":"Accept","value":"text/html1"},{"name":"Cookie","value":"lang=de; theme=dark"}',
  ],
  [
    'recorded headers, value first',
    '{"value":"theme=dark; lang=de","name":"Cookie"},{"value":"sid=a1b2c3d4e5f6a7b8","name":"note"}',
  ],
  ['recorded headers in code', '{ name: "Cookie", value: cookieValue2 }, { "name": "Authorization", "value": authHeader1 }'],
  ['recorded headers as placeholders', '{"name":"Authorization","value":"Bearer <token>"},{"name":"Cookie","value":"sid=<id>"}'],
  [
    'names of session cookies',
    'JSESSIONID=<id>; the PHPSESSID=... cookie; cookies.get("connect.sid"); name: "laravel_session", value: sessionValue2; app.use(session({name:"connect.sid"}))',
  ],
  [
    'recorded cookies of settings',
    '{"name":"theme","value":"a1b2c3d4e5f6a7b8c9d0"},{"name":"session","value":"0199a213-81c0-7800-8aa1-bbab2a035a53"},{"name":"auth","value":"required-for-all-requests"}',
  ],
  // Names.
  [
    'secret keys in prose',
    'Secret Key: required. The secret key is stored in 2 places; secret key = see docs/keys-v2.md; SECRET KEY: string',
  ],
  ['pass phrases in prose', 'pass phrase: at least 4 words; the pass phrase is optional since 2.1'],
  ['unseal keys in prose', 'Unseal Key 1: see the vault; Recovery Key 2: <key>; Unseal Key 3: ******** of 5'],
  [
    'passwords for users',
    'Password for user bob: \nPassword (admin): required\nPassword (again): ********\nPassword for the user: at least 12 characters\nPassword (v2): optional-since-2026',
  ],
  // Assignments of other languages.
  [
    'Go assignments',
    'token := r.Header.Get("X-Token-2")\ntokens := strings.Split(line, ",")\ntoken := "expired"\ntoken := token.New(32)',
  ],
  [
    'Python bytes, harmless',
    '{"password": b""}, token = b"", secret = b"secret", password = r"\\d{8}abc", UNRESERVED_PAT = r"ABCDEFGHIJKLMabcdefghijklm0123456789._!\\-~", password = b64decode(value2)',
  ],
  [
    'C definitions',
    '#define PASS "PASS"\n#define MAX_PASSWORD 64\n#define TOKEN_TYPE "bearer2x1"\n#define WIFI_PASS ""\n#define API_KEY_HEADER "x-api-key-v2"\n#define WIFI_PASS CONFIG_WIFI_PASS\n#define HAS_PASSWORD "your-password-here"',
  ],
  [
    'C arrays',
    'char password[64];\nchar token[] = {0};\nconst char password[] = "";\nsecret[2] = buffer1;\nif (password[0] == 12) {}',
  ],
  [
    'JWT calls',
    "jwt.sign(payload, process.env.JWT_SECRET2)\njwt.sign(p, secret, { algorithm: 'HS256' })\njwt.verify(token, 'secret')\njwt.decode(token, algorithms=[\"HS256\"])\njwt.verify(token, key, 'RS256')\njwt.verify(a, 'the token is wrong')",
  ],
  [
    'login calls',
    "page.login('admin', password2)\nclient.login(user, 'password')\nauth.login('/login', 'home')\nclient.login(process.env.TOKEN2)\nserver.login(sender, \"${PASSWORD}\")",
  ],
  [
    'Terraform defaults',
    'variable "db_password" {\n  default = ""\n}\nvariable "region" {\n  default = "eu-west-1a2b"\n}\nvariable "db_password" {\n  default = null\n}\nvariable "token_ttl" {\n  default = "24h"\n}',
  ],
  // Several values.
  ['several counts', 'MAX_TOKENS=4096,8192\n"tokens": [101, 2023, 102]\ntokens: 12,128\ninput_tokens = [1200, 17]'],
  [
    'several names',
    'secrets: ["DB_PASSWORD_1", "API_TOKEN_2"]\nsecrets = ["prod/db/password1", "prod/api/key2"]\nsecrets:\n  - db_password2\n  - api-key-v2\napi_keys: ["id", "name2"]',
  ],
  [
    'several words',
    'tokens = ["hello", "world2", "##ing1"]\n"tokens": ["GPT2Tokenizer", "cl100k_base"]\npasswords = ["password", "changeme", "required"]\nsecrets: inherit\nAPI_KEYS=your-key-1,your-key-2',
  ],
  [
    'several references',
    'API_KEYS=$KEY1,$KEY2\nsecrets:\n  - ${{ secrets.TOKEN_2 }}\napi_keys = [config.key1, config.key2]\ntokens = tokenize(text2)\nexports.countTokens = require_encoding_r50k_base.countTokens;\nTOKENS="${A1},${B2}"',
  ],
  [
    'several sentences',
    'Passwords: at least 12 characters, 2 digits. Tokens: see section 4.2, tokens=a,b. The secrets: 3 of them. {"passwords":"Passwords must have 8 characters"}',
  ],
  ['names of pieces', 'password: Auth_v2-Name\nsecret: "Rev-v12+api"\npassword: my-v2_Name\ntoken: utf8-v2_x'],
  // Recovery codes.
  [
    'recovery codes in prose',
    'Recovery codes: generated on request. Backup codes: version2 of the API. Recovery codes:\n- see settings\n- print them\n1. Open the page\nBackup codes: 10 of them, each 8 characters. backup codes: sha256 hashed',
  ],
  ['lists below codes', 'Backup codes:\n- download\n- printing\n- regenerate\n\nRecovery codes:\nsomewhere\n'],
  // Lines of files.
  [
    'lines of files in strings',
    '{"text":"requirepass"},{"text":"requirepass ${PW}"},{"text":"note:5432:port"},{"text":"masterauth is an option"},{"a":"AUTH is required2"},{"a":"user bob on > next"},{"b":"password required"}',
  ],
  // Commands.
  [
    'options with one dash',
    'java -password $PASS -token <token>\n-password string\n-token-file x1y2z3a4\nfind . -name x -secret\n- password x\n+password string',
  ],
  [
    'commands without a value',
    'cargo login\ncargo login $CARGO_TOKEN\nnet user bob /delete\nnet user bob * /add\netcdctl --user root get foo\netcdctl --user root:$PASS get foo\nthe net user growth was 12%',
  ],
  // Tokens.
  ['prefixes of other tokens', 'csk-worker-2 phx_router phx_live_view_component_with_a_long_name xprv9s21 zprv tprv-test'],
  // YAML and code.
  [
    'mappings in braces',
    'const { password: pass1, token: t2 } = body\nfoo({ password: user.password2, secret: hash1(x), token: nextToken2 })\ntype A = { password: string, token: Token2 }\n{password: ${PASS}, token: <token>}',
  ],
]
