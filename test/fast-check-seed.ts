import process from 'node:process'
import fc from 'fast-check'
import { beforeAll } from 'vitest'

// Properties are tried on the same examples in every run of the default suite, so that a failure is about the change at hand;
// the long suite draws others each time and says which.
const isLong = process.env.PROPERTIES === 'random'
const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 20_191_013

beforeAll(() => {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
  if (isLong) console.log(`fast-check: seed ${seed}`)
})
