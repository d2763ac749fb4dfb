import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { makeAnswers } from '../core/answers.ts'
import type { Estimator } from '../core/types.ts'
import { sphere } from '../directions/sphere.ts'
import { central } from './central.ts'
import { nes } from './nes.ts'

function estimate(estimator: Estimator): number[] {
  const at = beginning(4, { seed: 2, trackBest: false })
  const estimation = estimator.begin(at)
  const queries = estimation.queries(at.start, 1)
  const answers = makeAnswers(queries.rows)
  const row = new Float64Array(4)
  for (let i = 0; i < queries.rows; i++) {
    queries.write(i, row)
    answers.values[i] = row.reduce((sum, each, k) => sum + (k + 1) * each * each, 0)
  }
  const gradient = new Float64Array(4)
  estimation.estimate(at.start, 1, answers, gradient)
  return Array.from(gradient)
}

test.each([
  [1, 2],
  [2, 2],
  [5, 6],
  [10, 10],
])('q = %i costs %i queries, and one more with a center', (directions, rows) => {
  const begin = (trackBest: boolean) => nes({ along: sphere(), directions }).begin(beginning(3, { trackBest }))
  expect([begin(false).rows, begin(true).rows]).toEqual([rows, rows + 1])
})

test('is the central difference along ceil(q/2) directions', () => {
  for (const directions of [5, 6]) {
    expect(estimate(nes({ along: sphere(), directions }))).toEqual(
      estimate(central({ along: sphere(), directions: 3 })),
    )
  }
})

test.each([
  [10, 0.5],
  [5, 0.6],
])('the factor of the reference code for q = %i gives %f of it', (directions, share) => {
  const whole = estimate(nes({ along: sphere(), directions }))
  const part = estimate(nes({ along: sphere(), directions, referenceFactor: true }))
  part.forEach((each, i) => expect(each / (whole[i] as number)).toBeCloseTo(share, 12))
})
