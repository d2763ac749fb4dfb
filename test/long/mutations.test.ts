import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { mutations } from '../mutations/mutations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))

test.each(mutations)('caught: $name', ({ name, caughtBy }) => {
  const words = [vitest, 'run', '--project', 'unit', '--bail', '1', '--reporter', 'json', ...caughtBy]
  const { stdout } = spawnSync(process.execPath, words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e9,
    env: { ...process.env, MUTATION: name },
  })
  const { numFailedTests, numTotalTests } = JSON.parse(stdout) as { numFailedTests: number; numTotalTests: number }
  expect(numTotalTests).toBeGreaterThan(0)
  expect(numFailedTests).toBeGreaterThan(0)
})
