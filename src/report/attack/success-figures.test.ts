import { expect, test } from 'vitest'
import { sampleReport, sampleUniversal } from '../../../test/attacks/sample-report.ts'
import { type Curve, valueAt } from '../chart/curve.ts'
import { styledRuns } from './attack-run.ts'
import { distortionCurve, shareCurve, successCurve } from './success-figures.ts'

const points = (curve: Curve | undefined) => curve && [...curve.x].map((x, i) => [x, curve.y[i]])
const run = (report = sampleReport()) => {
  const [only] = styledRuns([{ name: 'a', problem: '', report }])
  if (only === undefined) throw new Error('no run')
  return only
}

test('steps up at every value, by those that lie there, to the share that is reached at all', () => {
  expect(points(shareCurve([3, 1, 3, Infinity], 5))).toEqual([
    [0, 0],
    [1, 0.25],
    [3, 0.75],
    [5, 0.75],
  ])
  expect(points(shareCurve([Infinity, Number.NaN], 5))).toEqual([
    [0, 0],
    [5, 0],
  ])
})

test('the share fooled after so many queries is that of the first successes among the attacked', () => {
  const report = sampleReport({ images: 10, fooled: 7, skipped: 3 })
  const curve = successCurve(run(report)) as Curve
  const firsts = report.images.flatMap(({ first }) => (first === null ? [] : [first.queries]))
  for (const at of [0, 300, 600, 1101]) {
    expect(valueAt(curve, at)).toBeCloseTo(firsts.filter((queries) => queries <= at).length / 10, 12)
  }
  expect([curve.x.at(-1), curve.y.at(-1)]).toEqual([1101, 0.7])
})

test('of several limits, the line ends with the queries within the largest one', () => {
  const report = sampleReport({ images: 4, fooled: 4 })
  const images = report.images.map((image, i) => {
    const within = { status: image.status, from: 'attack', success: image.first } as const
    const limits = [
      { ...within, linf: 0.2, queries: 1500 + i },
      { ...within, linf: 0.1, queries: 700 },
    ]
    return { ...image, queries: 2200 + i, limits }
  })
  expect(successCurve(run({ ...report, images }))?.x.at(-1)).toBe(1503)
})

test('the share fooled within a distortion is that of the best successes', () => {
  const report = sampleReport({ images: 10, fooled: 7 })
  const curve = distortionCurve(run(report), 9) as Curve
  const sizes = report.images.flatMap(({ best }) => (best === null ? [] : [best.l2]))
  expect(valueAt(curve, 1)).toBeCloseTo(sizes.filter((size) => size <= 1).length / 10, 12)
  expect([curve.x.at(-1), curve.y.at(-1)]).toEqual([9, 0.7])
})

test('a shared perturbation has its own course, and no distortion per image', () => {
  const report = sampleUniversal()
  const curve = successCurve(run(report)) as Curve
  expect([...curve.y]).toEqual(report.universal?.curve.fooled)
  expect(distortionCurve(run(report), 9)).toBeUndefined()
})

test('without attacked images there is no curve', () => {
  const nothing = run(sampleReport({ images: 0, skipped: 4 }))
  expect(successCurve(nothing)).toBeUndefined()
  expect(distortionCurve(nothing, 1)).toBeUndefined()
})
