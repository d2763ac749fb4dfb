import { defineConfig } from 'tsdown'
import { pageScriptPlugin } from './scripts/page-script.mjs'

/**
 * Marks parts and their tables as free of side effects, so that bundlers drop those nobody uses although a file holds
 * several. As a call of a function around the definition, which reads other objects: bundlers must keep what reads them.
 */
const pureParts = {
  name: 'pure-parts',
  transform: (code: string): string =>
    code
      .replace(
        /^(export )?const (\w+) = (definePart|table)\((\{\n[\s\S]*?)^\}\)$/gm,
        '$1const $2 = /* @__PURE__ */ ((define) => define($4}))($3)',
      )
      .replace(
        /^(export )?const (\w+) = join\(\n([\s\S]*?)^\)$/gm,
        '$1const $2 = /* @__PURE__ */ ((define) => define(\n$3))(join)',
      ),
}

/**
 * Puts doc comments on lines of their own: TypeScript takes one behind a property for a remark on that. Typed arrays have no
 * parameters, which TypeScript before 5.7 does not know; without one they mean the same.
 */
const declarations = {
  name: 'declarations',
  generateBundle(_: unknown, bundle: Record<string, { code?: string }>): void {
    for (const [file, chunk] of Object.entries(bundle)) {
      if (!file.endsWith('.d.ts') || chunk.code === undefined) continue
      chunk.code = chunk.code
        .replace(/([;,{]) (\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*/g, '$1\n  $2\n  ')
        .replace(/\b(\w+Array)<ArrayBufferLike>/g, '$1')
    }
  },
}

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/app/report/index.ts',
    'src/app/jobs/kept-run.ts',
    'src/app/objectives/index.ts',
    'src/app/objectives/browser.ts',
    'src/optimizer/objectives/workers/entry.ts',
    'src/robustness/models/index.ts',
    'src/robustness/images/index.ts',
    'src/robustness/index.ts',
    'src/robustness/embedded/index.ts',
    'src/app/cli/main.ts',
    'src/app/store/index.ts',
    'src/app/jobs/index.ts',
    'src/app/jobs/evaluation/attack-thread.ts',
    'src/app/spec/index.ts',
    'src/app/executors/queue/index.ts',
    'src/app/ui/server/ui-thread.ts',
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
  deps: { neverBundle: [/^#/, '@observablehq/plot', 'linkedom', 'hono', /^@hono\//] },
  dts: true,
  plugins: [pureParts, pageScriptPlugin(), declarations],
})
