// Joins the compiled modules that a process loads into few files: `offshoot search` opened 128 of them, and to find, read and link
// each took a quarter of its time. The modules stay beside it, for the library and for threads.
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** What bin/ starts. Apart, so that nothing the command line needs comes with the hook. */
const entries = { cli: 'cli/main.js', hook: 'capture/hook.js' }
/** With all they import: what nearly every command loads, and what a search adds to it. */
const together = /[\\/](?:cli[\\/](?:main|commands[\\/]search)|app|search[\\/](?:query[\\/]engine|index[\\/]status))\.js$/
/** Packages that every command loads: eight files for the first alone. All others are found when they are needed. */
const taken = ['commander', '@commander-js/extra-typings', 'picocolors']

/** Into `<dist>/bundle`, from what tsc has put there. A tree without a command line, as in tests, has nothing to join. */
export async function bundle(root, dist) {
  const from = realpathSync(dist)
  for (const [name, file] of Object.entries(entries)) {
    if (existsSync(join(from, file))) await joinModules(name, join(from, file), join(from, 'bundle', name))
  }
  if (existsSync(join(from, 'bundle'))) writeFileSync(join(from, 'bundle', 'NOTICES.txt'), noticesOf(root))
}

async function joinModules(name, file, folder) {
  const { rolldown } = await import('rolldown')
  const made = await rolldown({
    input: { [name]: file },
    platform: 'node',
    external: (id) => !/^[./]/.test(id) && !taken.includes(id),
    plugins: [keepPlaces(folder), startNothing],
    // What is loaded when needed in one place and with its file in another is no fault here.
    checks: { ineffectiveDynamicImport: false },
  })
  try {
    const codeSplitting = { groups: [{ name: 'start', test: together }] }
    await made.write({ dir: folder, format: 'esm', chunkFileNames: '[name].js', comments: false, codeSplitting })
  } finally {
    await made.close()
  }
}

/** A module finds threads, models and programs from where it stands: that must stay the place it was compiled to. */
function keepPlaces(folder) {
  return {
    name: 'keep-places',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        const place = relative(folder, id).split(sep).join('/')
        return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
      },
    },
  }
}

/** commander loads what starts processes for commands that are programs of their own; there are none here. */
const startNothing = {
  name: 'start-nothing',
  transform: {
    filter: { id: /[\\/]commander[\\/]lib[\\/]command\.js$/ },
    handler: (code) => code.replace("require('node:child_process')", '{}'),
  },
}

/** What the licences of the packages taken in ask for: their text with every copy. */
function noticesOf(root) {
  const notices = taken.map((name) => {
    const folder = join(root, 'node_modules', name)
    const licence = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each)) ?? ''
    return `${name}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`
  })
  return notices.join('\n')
}
