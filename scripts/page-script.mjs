// Bundles the script of reports when the package is built and when tests run: a page holds it, and its policy allows nothing else.
// The style of reports goes with it.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { build, transform } from 'esbuild'
import { root } from './generate/places.mjs'

/** The file whose constants are only declared in the source. */
const declared = 'src/app/report/page/page-script.ts'

/** Source text of the module that holds the script of reports, its hash, and their style. */
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
  const styles = ['chart', 'page'].map((name) => readFileSync(`${root}/src/app/report/page/${name}.css`, 'utf8'))
  const { code: style } = await transform(styles.join('\n'), { loader: 'css', minify: true })
  const all = { pageScript: script, pageScriptHash: `sha256-${hash}`, pageStyle: style.trim() }
  return Object.entries(all)
    .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)}\n`)
    .join('')
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
