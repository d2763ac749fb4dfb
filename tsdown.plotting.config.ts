import { defineConfig } from 'tsdown'
import { writeLicences } from './scripts/licences.ts'
import { pagePackages } from './vite.page.config.ts'

/**
 * What charts are drawn with, what serves the page, and all that they import, in three files instead of sixty packages;
 * built after the rest.
 */
export default defineConfig({
  entry: {
    'app/report/plotting': 'src/app/report/plotting.ts',
    'app/report/drawing-document': 'src/app/report/drawing-document.ts',
    'app/ui/server/http': 'src/app/ui/server/http.ts',
  },
  root: 'src',
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  fixedExtension: false,
  minify: true,
  deps: { alwaysBundle: [/./], onlyBundle: false },
  clean: false,
  dts: false,
  plugins: [writeLicences('THIRD-PARTY-LICENSES', pagePackages)],
})
