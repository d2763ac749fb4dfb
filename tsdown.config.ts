import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/threads/index.ts',
    'src/report/index.ts',
    'src/objectives/index.ts',
    'src/objectives/browser.ts',
    'src/objectives/workers/entry.ts',
    'src/models/index.ts',
    'src/datasets/index.ts',
    'src/attacks/index.ts',
    'src/embedded/index.ts',
    'src/cli/main.ts',
    'src/trace/index.ts',
    'src/work/index.ts',
    'src/work/evaluation/threads/attack-thread.ts',
    'src/spec/index.ts',
    'src/queue/index.ts',
    'src/ui/server/ui-thread.ts',
  ],
  root: 'src',
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  fixedExtension: false,
  // One output file per source file: a bundler that reads `sideEffects: false` then drops every part it does not use.
  unbundle: true,
  // Which onnxruntime it is depends on where the code runs: see `imports` in package.json.
  // What charts are drawn with, and the server of the page, are bundled by tsdown.plotting.config.ts.
  deps: { neverBundle: [/^#onnxruntime/, '@observablehq/plot', 'linkedom', 'hono', /^@hono\//] },
  dts: true,
})
