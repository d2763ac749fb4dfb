import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const published = { globalSetup: 'scripts/build-if-stale.ts', testTimeout: 180_000, hookTimeout: 180_000 }

const everyday = [
  {
    extends: true as const,
    test: {
      name: 'unit',
      include: ['{src,paper,bench,test}/**/*.test.ts'],
      exclude: ['{test,paper/test}/end-to-end/**', 'test/long/**'],
      testTimeout: 60_000,
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
].map((entry) => ({
  find: new RegExp(`^zeroth${entry}$`),
  replacement: fileURLToPath(new URL(`./src${entry}/index.ts`, import.meta.url)),
}))

export default defineConfig(({ mode }) => ({
  resolve: { alias },
  test: { projects: mode === 'long' ? long : everyday },
}))
