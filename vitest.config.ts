import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const redis = 'scripts/ensure-redis.ts'
const published = { globalSetup: ['scripts/build-if-stale.ts', redis], testTimeout: 180_000, hookTimeout: 180_000 }

const everyday = [
  {
    extends: true as const,
    test: {
      name: 'unit',
      include: ['{src,paper,bench,test}/**/*.test.ts'],
      exclude: ['{test,paper/test}/end-to-end/**', 'test/long/**'],
      globalSetup: redis,
      testTimeout: 60_000,
      // Files of one worker share the modules that they import: loading them anew for each took a third of the time. So no
      // test may leave anything behind: what it replaces it puts back, what it opens it closes.
      isolate: false,
    },
  },
  { test: { name: 'end-to-end', include: ['{test,paper/test}/end-to-end/**/*.test.ts'], ...published } },
]

const long = [{ test: { name: 'long', include: ['test/long/**/*.test.ts'], ...published, testTimeout: 3_600_000 } }]

// The docs import the package by its name.
const alias = [
  '',
  '/threads',
  '/objectives',
  '/models',
  '/datasets',
  '/embedded',
  '/attacks',
  '/spec',
  '/trace',
  '/work',
  '/report',
  '/queue',
].map((entry) => ({
  find: new RegExp(`^zeroth${entry}$`),
  replacement: fileURLToPath(new URL(`./src${entry}/index.ts`, import.meta.url)),
}))

export default defineConfig(({ mode }) => ({
  resolve: { alias },
  // Vitest would leave one core idle, which on a machine with two is half of it.
  test: { projects: mode === 'long' ? long : everyday, maxWorkers: availableParallelism() },
}))
