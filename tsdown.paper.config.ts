import { fileURLToPath } from 'node:url'
import { defineConfig } from 'tsdown'
import { pageScriptPlugin } from './scripts/page-script.mjs'

// The programs of paper/, which are not published: built beside dist, with the sources of the package as they are.
export default defineConfig({
  entry: {
    'paper/compare-solvers/compare-solvers': 'paper/compare-solvers/compare-solvers.ts',
    'paper/reproduction/main': 'paper/reproduction/main.ts',
    'paper/reproduction/cell-worker': 'paper/reproduction/cell-worker.ts',
    'paper/theory/main': 'paper/theory/main.ts',
    // A thread is started by its file.
    'app/jobs/evaluation/threads/attack-thread': 'src/app/jobs/evaluation/attack-thread.ts',
  },
  root: '.',
  outDir: '.paper',
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  unbundle: true,
  // A file of src is as far from assets/ and package.json as it is in dist.
  outputOptions: { preserveModulesRoot: fileURLToPath(new URL('src', import.meta.url)) },
  // Which onnxruntime it is depends on where the code runs: see `imports` in package.json.
  // Charts are drawn with packages that are only bundled for users: here they are installed.
  deps: { neverBundle: [/^#/, /^linkedom/, /^@observablehq\//] },
  dts: false,
  fixedExtension: false,
  plugins: [pageScriptPlugin()],
  logLevel: 'warn',
})
