import { expect, test } from 'vitest'
import { minimizeSync } from '../run/minimize.ts'
import { l1Ball } from '../sets/l1-ball.ts'
import { wholeSpace } from '../sets/whole-space.ts'
import { auto } from './auto.ts'
import { explainAuto } from './auto-explain.ts'

const bowl = (x: Float64Array): number => x.reduce((sum, each) => sum + each * each, 0)

test('names the methods for exact and for noisy answers, in their order', () => {
  const { exact, noisy, set } = explainAuto({ dim: 3, queries: 1000, set: wholeSpace() })
  expect(set).toBe('free')
  expect(exact.map(({ method }) => method)).toEqual(['quasi-newton', 'restarts', 'cma-es'])
  expect(noisy.map(({ method }) => method)).toEqual(['noisy-descent'])
  const once = explainAuto({ dim: 3, queries: 10_000, set: l1Ball({ radius: 1 }), once: true })
  expect(once).toMatchObject({ set: 'other', exact: [{ method: 'quasi-newton' }] })
})

test.each([
  [2, 8],
  [2, 60],
  [2, 400],
  [30, 300],
])('says what a run of %i variables and %i queries does', (dim, maxQueries) => {
  const { exact } = explainAuto({ dim, queries: maxQueries, set: wholeSpace() })
  const { phases = [] } = minimizeSync(bowl, new Float64Array(dim).fill(3), { solver: auto(), maxQueries })
  const done = phases.slice(1).map(({ method, why }) => ({ method, why }))
  // A run may spend its budget before the last of them.
  expect(done.length).toBeGreaterThan(0)
  expect(exact.slice(0, done.length).map(({ method, why }) => ({ method, why }))).toEqual(done)
})
