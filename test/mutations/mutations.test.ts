import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { mutations } from './mutations.ts'

const src = fileURLToPath(new URL('../../src', import.meta.url))
const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
  .map((path) => readFileSync(`${src}/${path}`, 'utf8'))

// That the tests catch them takes long: test/long/mutations.test.ts.
test.each(mutations)('there is one place to plant: $name', ({ find }) => {
  expect(texts.reduce((count, text) => count + text.split(find).length - 1, 0)).toBe(1)
})
