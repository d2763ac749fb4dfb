import { defineConfig } from 'tsdown'
import { pageScriptPlugin } from './scripts/page-script.mjs'

// The benchmarks measure the source as it is, without a build of the package before.
export default defineConfig({
  entry: { main: 'bench/main.ts', 'attack-thread': 'src/app/jobs/evaluation/attack-thread.ts' },
  // As deep as src/<wing>/<folder>: its files find assets/ and package.json from there.
  outDir: '.bench/built/program',
  format: 'esm',
  platform: 'node',
  // Which onnxruntime it is depends on where the code runs: see `imports` in package.json.
  deps: { neverBundle: [/^#/, 'playwright-core'] },
  target: 'es2023',
  dts: false,
  fixedExtension: false,
  plugins: [pageScriptPlugin()],
  logLevel: 'warn',
})
