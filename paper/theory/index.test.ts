import { describe, expect, test } from 'vitest'
import {
  adaptiveMoments,
  box,
  type ConvexSet,
  type Directions,
  type Estimator,
  forward,
  gaussian,
  given,
  l2Ball,
  momentum,
  plain,
  rotatedQuadratic,
  type Step,
  sphere,
  sumOfSines,
  zoPSGD,
  zoSGD,
  zoSMD,
} from '../../src/index.ts'
import { closedFormVerdicts } from './closed-form.ts'
import { dimensionVerdicts } from './dimension.ts'
import { estimateMomentVerdicts } from './estimate-moments.ts'
import { fixedPointVerdicts } from './fixed-points.ts'
import { gradientMappingVerdicts } from './gradient-mapping.ts'
import { checks, table1 } from './index.ts'
import { lemma1Verdicts } from './lemma-1.ts'
import { lemmaOnZVerdicts } from './lemmas-on-z.ts'
import { measureVerdicts } from './measures.ts'
import { metricChangeVerdicts } from './metric-change.ts'
import { monotoneMomentVerdicts } from './monotone-moments.ts'
import { neighbourhoodVerdicts } from './neighbourhood.ts'
import { proofSlipVerdicts } from './proof-slips.ts'
import { proposition1Verdicts } from './proposition-1.ts'
import { proposition2Verdicts } from './proposition-2.ts'
import { proposition3Verdicts } from './proposition-3.ts'
import { proposition4Verdicts } from './proposition-4.ts'
import { slowdownVerdicts } from './slowdown.ts'
import { smoothedOf } from './smoothed.ts'
import { smoothingBoundVerdicts } from './smoothing-bounds.ts'
import { smoothingVerdicts } from './smoothing-identities.ts'
import { same } from './special-cases.ts'
import { stepBoundVerdicts } from './step-bound.ts'
import { rateComparisonVerdicts } from './table-1.ts'
import { theorem2Verdicts } from './theorem-2.ts'
import { transformedSpaceVerdicts } from './transformed-space.ts'
import type { Verdict } from './verdict.ts'

describe.each(checks.map((check) => [check.id, check] as const))('%s', (_, check) => {
  const verdicts = check.run('quick')

  test.each(verdicts.map((verdict) => [verdict.claim, verdict] as const))('%s', (__, verdict) => {
    expect(verdict).toMatchObject({ passed: true })
  })

  test('says what it predicts and what was measured', () => {
    expect(verdicts.length).toBeGreaterThan(0)
    for (const { predicted, measured } of verdicts) {
      expect(predicted).not.toMatch(/NaN|undefined|^$/)
      expect(measured).not.toMatch(/NaN|undefined|^$/)
    }
  })
})

test('every statement has a name of its own', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
})

test('Table 1 has its ten rows, and notes on those of ZO-AdaMM', () => {
  expect(table1).toHaveLength(10)
  const ours = table1.filter(({ method }) => method === 'ZO-AdaMM')
  expect(ours).toHaveLength(3)
  for (const { note } of ours) expect(note).toBeDefined()
})

// A check that cannot fail proves nothing: each of these hands one something wrong.
describe('is found out:', () => {
  test('a step that always projects in the Euclidean metric', () => {
    const step = (_: unknown, moments: object): Step => adaptiveMoments({ ...moments, projection: 'euclidean' })
    expect(failed(proposition1Verdicts('quick', step))).toEqual([
      'sign steps, slab, Mahalanobis, 1 step',
      'sign steps, slab, Mahalanobis: runs off',
      'sign steps, l1 ball, Mahalanobis: the optimum',
      'AMSGrad, l1 ball, Mahalanobis: the optimum',
    ])
    expect(failed(transformedSpaceVerdicts('quick', null))).toHaveLength(1)
  })

  test('a set that projects without regard to the metric', () => {
    const ball = l2Ball({ radius: 1 })
    const blind: ConvexSet = { ...ball, project: (x, _, scratch) => ball.project(x, null, scratch) }
    const sets = [{ name: 'blind', set: blind }]
    expect(failed(fixedPointVerdicts('quick', sets))).toHaveLength(3)
    expect(failed(gradientMappingVerdicts('quick', sets))).not.toEqual([])
  })

  test('a proof by trying no set at all', () => {
    expect(fixedPointVerdicts('quick', []).some(({ passed }) => passed)).toBe(false)
    expect(gradientMappingVerdicts('quick', []).some(({ passed }) => passed)).toBe(false)
    expect(metricChangeVerdicts('quick', [])[0]).toMatchObject({ passed: false })
  })

  test('a box in the place of the whole space', () => {
    expect(failed(measureVerdicts('quick', box({ lower: 0.49, upper: 0.5 })))).toHaveLength(1)
  })

  test('a maximum that only repeats the last second moment, and one that is missing', () => {
    const forgetful = (initialSecondMoment: number): Step => ({
      start(at) {
        const inner = adaptiveMoments({ initialSecondMoment }).start(at)
        const apply: typeof inner.apply = (move, iteration, point) => {
          inner.apply(move, iteration, point)
          inner.memory.vectors?.maximum?.set(inner.memory.vectors.second ?? [])
        }
        return { memory: inner.memory, apply }
      },
    })
    const without = (initialSecondMoment: number): Step =>
      adaptiveMoments({ initialSecondMoment, maxSecondMoment: false })
    expect(monotoneMomentVerdicts('quick', forgetful)[0]).toMatchObject({ passed: false })
    expect(monotoneMomentVerdicts('quick', without)[0]).toMatchObject({ passed: false })
  })

  test('steps that grow with the estimates', () => {
    expect(failed(stepBoundVerdicts('quick', ({ beta1 }) => momentum({ beta: beta1 })))).toHaveLength(3)
  })

  test('a second moment that does not start from 0, and a constant beta1 for a falling one', () => {
    const late = closedFormVerdicts('quick', (betas) => adaptiveMoments({ ...pick(betas), initialSecondMoment: 1e-5 }))
    expect(late.map(({ passed }) => passed)).toEqual([false, false, true])
    const constant = closedFormVerdicts('quick', (betas) =>
      adaptiveMoments({ ...pick(betas), beta1: betas.beta1(1), initialSecondMoment: 0 }),
    )
    expect(constant.map(({ passed }) => passed)).toEqual([true, false, true])
  })

  test('runs that differ in their last bits, and mirror descent at the same learning rate', () => {
    const [one, other] = [zoSGD({ learningRate: 0.05 }), zoSGD({ learningRate: 0.05 * (1 + 1e-15) })]
    expect(same('', 'quick', one, other).passed).toBe(false)
    expect(same('', 'quick', zoSMD({ learningRate: 0.1 }), zoPSGD({ learningRate: 0.1 })).passed).toBe(false)
  })

  test('a problem that gives f for f_mu', () => {
    const sines = sumOfSines({ dim: 6 })
    const rough: typeof smoothedOf = (problem, x, radius) =>
      problem === sines ? { value: sines.value(x), gradient: sines.gradient(x) } : smoothedOf(problem, x, radius)
    const verdicts = smoothingVerdicts('quick', [rotatedQuadratic({ dim: 6 }), sines], rough)
    expect(failed(verdicts)).toEqual(['f_mu - f, sum-of-sines, mu = 0.7'])
  })

  test('constants that are too small, and a function that is not convex', () => {
    const sines = sumOfSines({ dim: 6 })
    const boastful = { ...sines, constants: { smoothness: 0.4, gradientBound: 1, lipschitz: 0.2 } }
    const found = failed(smoothingBoundVerdicts('quick', [boastful], [sines])).join('\n')
    for (const claim of ['L_g mu^2', 'inherits L_c', 'inherits L_g', 'inherits convexity'])
      expect(found).toContain(claim)
  })

  test('an estimate that is a tenth too long, and Gaussian directions for those on the sphere', () => {
    const long = estimateMomentVerdicts('quick', (along, directions, smoothing) =>
      lengthened(forward({ along, directions, smoothing }), 1.1),
    )
    expect(failed(long).length).toBeGreaterThan(3)
    const normal = estimateMomentVerdicts('quick', (_, directions, smoothing) =>
      forward({ along: gaussian(), directions, smoothing }),
    )
    expect(failed(normal)).toContain('variance, linear, q = 1: (d - 1)||g||^2')
  })

  test('an estimate that takes one sample for the whole batch', () => {
    const verdicts = lemma1Verdicts('quick', (_, directions) =>
      forward({ along: sphere(), directions, smoothing: 1e-5 }),
    )
    expect(verdicts.slice(0, 4).map(({ passed }) => passed)).toEqual([true, false, false, false])
  })

  test('estimates along one coordinate, and estimates that are too long', () => {
    const first = given({
      direction: (_, __, dim) => Float64Array.from({ length: dim }, (___, i) => (i === 0 ? 1 : 0)),
    })
    const doubled: Directions = { start: (at, count) => ({ ...sphere().start(at, count), factor: 2 * at.dim }) }
    const verdicts = (along: Directions) =>
      proposition3Verdicts('quick', (directions) => forward({ along, directions, smoothing: 0.1 }))
    // In 50 dimensions d L_c is above 2 L_c sqrt(d log(dT / delta)); in 5 it is not.
    expect(verdicts(first)[1]).toMatchObject({ passed: false })
    expect(verdicts(doubled)[3]).toMatchObject({ passed: false })
  })

  test('a z_t made with another beta1, and as many directions as variables', () => {
    expect(proofSlipVerdicts('quick', 0.5)[0]).toMatchObject({ passed: false })
    const many = slowdownVerdicts('quick', (dim) => forward({ along: sphere(), directions: dim, smoothing: 1e-4 }))
    expect(many[1]).toMatchObject({ passed: false })
  })

  test('exponents of d that are too small, and a row of Table 1 with another rate', () => {
    expect(failed(dimensionVerdicts('quick', 1)).map((claim) => claim.split(':')[0])).toEqual([
      'Theorem 1',
      'eq. (13)',
      'Proposition 4',
      'Proposition 4',
    ])
    const rows = table1.map((row) =>
      row.method === 'ZO-SGD' ? { ...row, at: { ...row.at, rate: ({ T }: { T: number }) => 1 / Math.sqrt(T) } } : row,
    )
    expect(failed(rateComparisonVerdicts(rows))).toEqual([
      'unconstrained: exponent of d in ZO-AdaMM / ZO-SGD, T to infinity',
    ])
  })

  test('plain steps that are said to be signs', () => {
    expect(failed(neighbourhoodVerdicts('quick', plain()))).toHaveLength(2)
  })

  test('bounds that are too small', () => {
    expect(failed(lemmaOnZVerdicts('quick', 1e-3))).toHaveLength(2)
    expect(failed(proposition2Verdicts('quick', 1 / 20))).toHaveLength(5)
    expect(theorem2Verdicts('quick', 1e-3)[0]).toMatchObject({ passed: false })
    expect(proposition4Verdicts('quick', 1e-3)[0]).toMatchObject({ passed: false })
  })
})

function failed(verdicts: readonly Verdict[]): string[] {
  return verdicts.filter(({ passed }) => !passed).map(({ claim }) => claim)
}

function pick<T extends { beta1: unknown; beta2: unknown }>({ beta1, beta2 }: T): Pick<T, 'beta1' | 'beta2'> {
  return { beta1, beta2 }
}

function lengthened(estimator: Estimator, factor: number): Estimator {
  return {
    start(at) {
      const inner = estimator.start(at)
      return {
        ...inner,
        estimate(x, iteration, answers, gradient) {
          const kept = inner.estimate(x, iteration, answers, gradient)
          for (let i = 0; i < gradient.length; i++) gradient[i] = factor * (gradient[i] as number)
          return kept
        },
      }
    },
  }
}
