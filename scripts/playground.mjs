// npm run playground: builds the playground into a folder.
//   node scripts/playground.mjs [FOLDER]   (.playground if left out)
// index.html needs nothing else, also opened from a folder. model.html, for a network of one's own, needs a web server:
// it loads model-worker.js, which has the runtime, once there is a network to run.
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { build as bundle } from 'esbuild'
import { build } from 'vite'
import { root } from './generate/places.mjs'
import { pageScriptPlugin } from './page-script.mjs'

/** How many digits the page has, how many of the file stand before them, for tuning, and how many pixels each has. */
const [digits, before, pixels] = [30, 40, 784]

/** The WebAssembly of the runtime; it looks for it beside the script. */
const runtimeFile = 'ort-wasm-simd-threaded.wasm'

const folder = resolve(process.argv[2] ?? join(root, '.playground'))
const runtimeFolder = join(root, 'node_modules', 'onnxruntime-web')
mkdirSync(folder, { recursive: true })
const style = new Function(`${await bundled('playground/page-style.ts')}; return bundle.style`)()
// The code of the reader runs in workers of this page, which have its policy: there is no network for it.
await writePage('index.html', 'page.html', 'main.ts', ['worker-src blob:'])
// No code of the reader here: the host of the page may be asked, for the runtime, and no other. What a module of a worker
// imports is a worker to some browsers and a script to others.
const fromHost = ["worker-src blob: 'self'", "connect-src 'self'"]
await writePage('model.html', 'model.html', 'model-main.ts', fromHost, "'self'")
await writeWorker()
copyFileSync(join(runtimeFolder, 'dist', runtimeFile), join(folder, runtimeFile))
console.log(join(folder, 'index.html'))

/**
 * A page with its style and its script inside.
 * @param {string} name
 * @param {string} template
 * @param {string} entry
 * @param {string[]} allowed directives of its policy
 * @param {string[]} scripts sources of scripts beside the one inside
 */
async function writePage(name, template, entry, allowed, ...scripts) {
  const script = await bundled(`playground/${entry}`)
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = [
    "default-src 'none'",
    // The kernels and the runtime are WebAssembly; nothing may evaluate text.
    ["script-src 'wasm-unsafe-eval'", `'sha256-${hash}'`, ...scripts].join(' '),
    ...allowed,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const { version: runtime } = JSON.parse(readFileSync(join(runtimeFolder, 'package.json'), 'utf8'))
  const parts = new Map(Object.entries({ policy, script, style, runtime }))
  const html = readFileSync(join(root, 'playground', template), 'utf8').replaceAll(
    /(?:\/\*\s*)?\{\{(\w+)\}\}(?:\s*\*\/)?/g,
    (_, part) => parts.get(part),
  )
  writeFileSync(join(folder, name), html)
}

/** The worker of a model, as a module script. Not by Vite, which would put the WebAssembly into it as text. */
async function writeWorker() {
  await bundle({
    absWorkingDir: root,
    entryPoints: ['playground/model-worker.ts'],
    outfile: join(folder, 'model-worker.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'inline',
    logLevel: 'warning',
    // The build of the runtime that computes on the processor alone: half as large as the usual one.
    alias: { '#onnxruntime': 'onnxruntime-web/wasm' },
  })
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
    plugins: [embedded(), pageScriptPlugin()],
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
