import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { pageScriptPlugin } from './scripts/page-script.mjs'
import { plantedBug } from './test/mutations/planted-bug.ts'

const redis = 'scripts/ensure-redis.ts'
// A test waits for events. This only guards against those that never come, on machines however busy.
const patience = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 300_000 } } }
const properties = 'test/fast-check-seed.ts'
const published = {
  setupFiles: properties,
  globalSetup: ['scripts/build-if-stale.ts', redis],
  // They start programs and wait for them.
  maxConcurrency: 12,
  ...patience,
}

const everyday = [
  {
    extends: true as const,
    test: {
      name: 'unit',
      include: ['{src,paper,bench,test}/**/*.test.ts'],
      exclude: ['{test,paper/test}/end-to-end/**', 'test/long/**'],
      globalSetup: redis,
      setupFiles: properties,
      ...patience,
      // Files of one worker share the modules that they import: loading them anew for each took a third of the time. So no
      // test may leave anything behind: what it replaces it puts back, what it opens it closes.
      isolate: false,
    },
  },
  { test: { name: 'end-to-end', include: ['{test,paper/test}/end-to-end/**/*.test.ts'], ...published } },
]

const long = [
  {
    test: {
      name: 'long',
      include: ['test/long/**/*.test.ts'],
      ...published,
      testTimeout: 3_600_000,
      env: { PROPERTIES: 'random' },
    },
  },
]

// The docs import the package by its name; tsconfig.json says what each entry point is.
const { compilerOptions } = JSON.parse(readFileSync(new URL('tsconfig.json', import.meta.url), 'utf8')) as {
  compilerOptions: { paths: Record<string, [string]> }
}
const alias = Object.entries(compilerOptions.paths).map(([entry, [file]]) => ({
  find: new RegExp(`^${entry}$`),
  replacement: fileURLToPath(new URL(file, import.meta.url)),
}))

export default defineConfig(({ mode }) => ({
  resolve: { alias },
  plugins: [pageScriptPlugin(), ...plantedBug(process.env.MUTATION)],
  // Vitest would leave one core idle, which on a machine with two is half of it.
  test: { projects: mode === 'long' ? long : everyday, maxWorkers: availableParallelism() },
}))
