// Bundles the script of reports when the package is built and when tests run: a page holds it, and its policy allows nothing else.
import { createHash } from 'node:crypto'
import { build } from 'esbuild'
import { root } from './generate/places.mjs'

/** The file whose constants are only declared in the source. */
const declared = 'src/app/report/page/page-script.ts'

/** Source text of the module that holds the script of reports and its hash. */
async function loadPageScript() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/app/report/overlay/script.ts'],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    write: false,
  })
  const script = outputFiles[0]?.text.trim() ?? ''
  const hash = createHash('sha256').update(script).digest('base64')
  return `export const pageScript = ${JSON.stringify(script)}\nexport const pageScriptHash = 'sha256-${hash}'\n`
}

/** Gives the declared constants their values, for tsdown and for Vite. */
export function pageScriptPlugin() {
  return {
    name: 'page-script',
    /** @param {string} id */
    load(id) {
      return id.replaceAll('\\', '/').endsWith(declared) ? loadPageScript() : undefined
    },
  }
}
