import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { paletteCss } from './src/app/report/palette.ts'

/** The packages that the page holds beside those of the charts. */
export const pagePackages = ['preact', '@preact/signals', '@preact/signals-core']

const chartStyle = new URL('src/app/report/page/chart.css', import.meta.url)

/** Charts look as in the reports. */
const reportStyle: Plugin = {
  name: 'report-style',
  enforce: 'pre',
  transform(code, id) {
    return id.endsWith('/ui/page/style.css')
      ? `${paletteCss(':root')}\n${readFileSync(chartStyle, 'utf8')}\n${code}`
      : undefined
  },
}

/** The page of `zeroth ui`, as files that its server hands out; built after the rest of dist. */
export default defineConfig({
  root: fileURLToPath(new URL('src/app/ui/page', import.meta.url)),
  // Relative addresses work behind any proxy.
  base: './',
  logLevel: 'warn',
  plugins: [reportStyle],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('dist/app/ui/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
  },
})
