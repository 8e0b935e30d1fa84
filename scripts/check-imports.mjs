// The import rule as lint: imports point down only, siblings of one layer do not import each other, and what only a face may
// know (environment, clock, the app) stays out of the parts below. `node scripts/check-imports.mjs [root]`
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'

/** From the bottom up. A part may import from lower layers and from itself. */
const layers = [
  ['model'],
  ['lib'],
  ['config', 'agents', 'store', 'snapshots', 'redact', 'terminals', 'services'],
  ['catalog', 'capture', 'search', 'fork', 'workers'],
  ['app'],
  ['guarded-app'],
  ['server'],
  ['tui'],
  ['cli', 'index'],
]

/** Parts whose folders are each a world of their own: agents/claude and agents/codex know nothing of each other. */
const partsWithIslands = ['agents']

/** Where the environment and the clock may be read; everything below is handed what it needs. */
const mayReadSurroundings = ['config', 'cli', 'tui', 'server', 'index']

/** lib/exec.ts names the variables a child must not inherit: it reads no values. */
const exceptions = ['src/lib/exec.ts process.env']

/** What opens a file. Pipes and devices would hold the process: lib/regular-file.ts refuses them, and all others ask it. */
const opensFiles = ['readFileSync', 'readFile', 'openSync', 'open', 'createReadStream']

const mayOpenFiles = [
  ...['src/lib/regular-file.ts'],
  // What is part of the installation.
  ...[
    'src/fork/models.ts',
    'src/search/embed/model-parts.ts',
    'src/search/embed/query-model.ts',
    'src/search/embed/static-model.ts',
  ],
  // New files of our own, opened for writing, and folders, to bring a new name to disk.
  ...['src/catalog/archive-files.ts', 'src/catalog/put-back.ts', 'src/cli/file-sink.ts', 'src/lib/exclusive-file.ts'],
  ...['src/search/qmd/export-session.ts', 'src/store/open.ts'],
  // Without waiting, and with more flags than the others need.
  ...['src/server/auth.ts', 'src/snapshots/not-covered.ts'],
]

/** `offshoot --version` must stay within twice a bare Node: what main.ts loads at once may use these packages only. */
const lightPackages = ['picocolors', 'commander', '@commander-js/extra-typings']

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'))
const src = join(root, 'src')
const violations = []
const files = new Map(listSources(src).map((file) => [file, readSource(file)]))

for (const [file, source] of files) {
  for (const specifier of source.imports) checkImport(file, specifier.name)
  if (!isTest(file) && !mayReadSurroundings.includes(partOf(file))) checkSurroundings(file, source)
}
for (const [file, { opened }] of files) {
  const isFree = isTest(file) || file.startsWith(join(src, 'cli', 'demo')) || mayOpenFiles.includes(relative(root, file))
  for (const name of isFree ? [] : opened) report(file, `${name} may wait for a pipe: use lib/regular-file.ts`)
}
checkEntry(join(src, 'cli', 'main.ts'))

for (const violation of violations) console.error(violation)
console.log(`${files.size} files, ${violations.length} violations of the import rule`)
process.exitCode = violations.length > 0 ? 1 : 0

function checkImport(file, name) {
  const from = partOf(file)
  const fromLayer = layerOf(from)
  if (fromLayer === -1) return report(file, `src/${from} is in no layer: add it to scripts/check-imports.mjs`)
  if (!name.startsWith('.')) {
    if (from === 'model' && !isTest(file)) report(file, `model is pure and imports nothing, not even '${name}'`)
    return
  }
  const target = resolve(dirname(file), name)
  if (!target.startsWith(src + sep)) {
    if (!isTest(file)) report(file, `'${name}' leads out of src`)
    return
  }
  const to = partOf(target)
  if (to === from) return checkIslands(file, target, name)
  const toLayer = layerOf(to)
  if (toLayer === -1) report(file, `'${name}' is in no layer`)
  else if (toLayer > fromLayer) report(file, `${from} may not import ${to} ('${name}'): imports point down only`)
  else if (toLayer === fromLayer) report(file, `${from} may not import its sibling ${to} ('${name}'): app.ts hands it in`)
}

function checkIslands(file, target, name) {
  if (!partsWithIslands.includes(partOf(file))) return
  const [from, to] = [islandOf(file), islandOf(target)]
  if (from && to && from !== to) report(file, `${partOf(file)}/${from} may not import ${partOf(file)}/${to} ('${name}')`)
}

function checkSurroundings(file, source) {
  for (const { what, offset } of source.surroundings) {
    if (exceptions.includes(`${relative(root, file)} ${what}`)) continue
    const line = source.text.slice(0, offset).split('\n').length
    report(`${file}:${line}`, `${what} enters through createApp only`)
  }
}

/** Follows static imports of values from the entry: what is behind `await import()` is paid for by those who need it. */
function checkEntry(entry) {
  const cameFrom = new Map([[entry, null]])
  for (const file of cameFrom.keys()) {
    for (const { name, kind } of files.get(file)?.imports ?? []) {
      if (kind !== 'static') continue
      const target = resolve(dirname(file), name)
      if (name.startsWith('.')) cameFrom.set(target, cameFrom.get(target) ?? file)
      else if (!name.startsWith('node:') && !lightPackages.includes(name)) {
        report(file, `cli/main.ts loads '${name}' at every start (${pathTo(file, cameFrom)}): use await import()`)
      }
    }
  }
}

function pathTo(file, cameFrom) {
  const steps = []
  for (let at = file; at; at = cameFrom.get(at)) steps.unshift(relative(src, at))
  return steps.join(' > ')
}

function readSource(file) {
  const text = readFileSync(file, 'utf8')
  const { module, program, errors } = parseSync(file, text)
  if (errors.length > 0) report(file, errors[0].message)
  const imports = []
  const opened = []
  for (const { moduleRequest, entries } of module.staticImports) {
    const names = entries.flatMap(({ importName, isType }) => (isType ? [] : (importName.name ?? [])))
    if (/^node:fs(\/promises)?$/.test(moduleRequest.value)) opened.push(...names.filter((name) => opensFiles.includes(name)))
    const typeOnly = entries.length > 0 && entries.every((entry) => entry.isType)
    imports.push({ name: moduleRequest.value, kind: typeOnly ? 'type' : 'static' })
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest) imports.push({ name: moduleRequest.value, kind: isType ? 'type' : 'static' })
    }
  }
  const surroundings = []
  const note = (what, node) => surroundings.push({ what, offset: node.start })
  new Visitor({
    ImportExpression({ source }) {
      if (source.type === 'Literal') imports.push({ name: source.value, kind: 'dynamic' })
      else report(file, 'import() of a computed name cannot be checked')
    },
    TSImportType({ source }) {
      if (source?.value) imports.push({ name: source.value, kind: 'type' })
    },
    MemberExpression(node) {
      const name = `${node.object.name}.${node.property.name}`
      if (['process.env', 'Date.now', 'process.cwd', 'os.homedir'].includes(name)) note(name, node)
    },
    CallExpression(node) {
      if (node.callee.name === 'homedir') note('homedir()', node)
    },
    NewExpression(node) {
      if (node.callee.name === 'Date' && node.arguments.length === 0) note('new Date()', node)
    },
  }).visit(program)
  return { text, imports, opened, surroundings }
}

function listSources(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** `src/agents/claude/read.ts` is of `agents`; `src/app.ts` is of `app`. */
function partOf(file) {
  return relative(src, file)
    .split(sep)[0]
    .replace(/(\.test)?\.tsx?$/, '')
}

function islandOf(file) {
  const steps = relative(src, file).split(sep)
  return steps.length > 2 ? steps[1] : undefined
}

function layerOf(part) {
  return layers.findIndex((layer) => layer.includes(part))
}

function isTest(file) {
  return /\.(test|testkit)\.tsx?$/.test(file)
}

function report(file, problem) {
  violations.push(`${relative(root, file)}: ${problem}`)
}
