import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

/** The packages that the page holds beside those of the charts. */
export const pagePackages = ['preact', '@preact/signals', '@preact/signals-core']

/** The page of `zeroth ui`, as files that its server hands out; built after the rest of dist. */
export default defineConfig({
  root: fileURLToPath(new URL('src/ui/page', import.meta.url)),
  // Relative addresses work behind any proxy.
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('dist/ui/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
  },
})
