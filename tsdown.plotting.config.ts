import { defineConfig } from 'tsdown'
import { writeLicences } from './scripts/licences.ts'

/** What charts are drawn with, and all that it imports, in two files instead of sixty packages; built after the rest. */
export default defineConfig({
  entry: { 'report/plotting': 'src/report/plotting.ts', 'report/drawing-document': 'src/report/drawing-document.ts' },
  root: 'src',
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  fixedExtension: false,
  minify: true,
  deps: { alwaysBundle: [/./], onlyBundle: false },
  clean: false,
  dts: false,
  plugins: [writeLicences('THIRD-PARTY-LICENSES')],
})
