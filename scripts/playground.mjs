// npm run playground: builds the playground as one HTML file that needs nothing else, also opened from a folder.
//   node scripts/playground.mjs [FILE]   (.playground/index.html if left out)
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { build } from 'vite'
import { root } from './generate/places.mjs'

/** How many digits the page has, how many of the file stand before them, for tuning, and how many pixels each has. */
const [digits, before, pixels] = [30, 40, 784]

const file = resolve(process.argv[2] ?? join(root, '.playground', 'index.html'))
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, await page())
console.log(file)

async function page() {
  const script = await bundled('playground/main.ts')
  const style = new Function(`${await bundled('playground/page-style.ts')}; return bundle.style`)()
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = [
    "default-src 'none'",
    // The kernels are WebAssembly; nothing may evaluate text.
    `script-src 'sha256-${hash}' 'wasm-unsafe-eval'`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const parts = new Map(Object.entries({ policy, script, style }))
  return readFileSync(join(root, 'playground', 'page.html'), 'utf8').replaceAll(
    /(?:\/\*\s*)?\{\{(\w+)\}\}(?:\s*\*\/)?/g,
    (_, name) => parts.get(name),
  )
}

/**
 * A module with all it imports, as one classic script: a module script does not load from a folder.
 * @param {string} entry
 * @returns {Promise<string>}
 */
async function bundled(entry) {
  const result = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [embedded()],
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      modulePreload: false,
      lib: { entry: join(root, entry), formats: ['iife'], name: 'bundle' },
    },
  })
  const [output] = [result].flat()
  if (output === undefined || !('output' in output)) throw new Error(`nothing was built from ${entry}`)
  // What ends a script element in the middle of one would end it in the page, too.
  return output.output[0].code.trim().replaceAll('</script', '<\\/script')
}

/**
 * The network, the first held-out digits and the style as parts of the script.
 * @returns {import('vite').Plugin}
 */
function embedded() {
  const asset = (/** @type {string} */ name) => readFileSync(join(root, 'assets', 'digits', name))
  const some = (/** @type {string} */ name, /** @type {number} */ header, /** @type {number} */ size) =>
    asset(name).subarray(header + before * size, header + (before + digits) * size)
  const modules = new Map([
    ['digits:model', () => asset('model.onnx')],
    ['digits:pixels', () => some('images-idx3-ubyte', 16, pixels)],
    ['digits:labels', () => some('labels-idx1-ubyte', 8, 1)],
  ])
  return {
    name: 'embedded',
    enforce: 'pre',
    resolveId: (id) => (modules.has(id) ? `\0${id}` : undefined),
    load(id) {
      const bytes = modules.get(id.slice(1))?.()
      if (bytes === undefined) return undefined
      const text = JSON.stringify(bytes.toString('base64'))
      return `export default Uint8Array.from(atob(${text}), (character) => character.charCodeAt(0))`
    },
  }
}
