import { defineConfig } from 'tsdown'

// The benchmarks measure the source as it is, without a build of the package before.
export default defineConfig({
  entry: { main: 'bench/main.ts', 'attack-thread': 'src/work/evaluation/threads/attack-thread.ts' },
  // As deep as src/<folder>: its files find assets/ and package.json from there.
  outDir: '.bench/built',
  format: 'esm',
  platform: 'node',
  // Which onnxruntime it is depends on where the code runs: see `imports` in package.json.
  deps: { neverBundle: [/^#onnxruntime/, 'playwright-core'] },
  target: 'es2023',
  dts: false,
  fixedExtension: false,
  logLevel: 'warn',
})
