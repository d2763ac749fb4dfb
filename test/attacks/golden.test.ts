import { describe, expect, test } from 'vitest'
import type { Precision, Solver } from '../../src/optimizer/core/types.ts'
import { zoAdaMM, zoNES, zoPSGD, zoSCD, zoSGD, zoSignSGD, zoSMD } from '../../src/parts.ts'
import { attackProblem, type CleanImage } from '../../src/robustness/attack-problem.ts'
import { driveAttack } from '../../src/robustness/attack-task.ts'
import type { Formulation } from '../../src/robustness/formulation.ts'
import { constrained, unconstrained } from '../../src/robustness/formulations.ts'
import { linearModel } from '../../src/robustness/models/linear.ts'

const dim = 12
const weights = [0, 1, 2].map((k) => Array.from({ length: dim }, (_, i) => Math.fround(Math.cos(1 + k + 3 * k * i))))
const model = await linearModel({ shape: { channels: 1, height: 3, width: 4 }, weights }).open()
const pixels = Float32Array.from({ length: dim }, (_, i) => (2 + (i % 5)) / 8)
const image: CleanImage = { pixels, label: 0 }

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, each, i) => sum + each * (b[i] as number), 0)

/** For classes 1 and 2, how far they are behind class 0, and the direction in which they catch up. */
const rivals = [1, 2].map((k) => {
  const slope = (weights[k] as number[]).map((each, i) => each - (weights[0]?.[i] as number))
  return { behind: -dot(slope, pixels), slope }
})

/** The squared length of the shortest perturbation that reaches a rival within the box, by bisection. */
const nearest = Math.min(
  ...rivals.map(({ behind, slope }) => {
    const along = (scale: number) =>
      slope.map((each, i) => Math.max(-(pixels[i] as number), Math.min(1 - (pixels[i] as number), scale * each)))
    let [low, high] = [0, 100]
    for (let i = 0; i < 200; i++) {
      const middle = (low + high) / 2
      if (dot(slope, along(middle)) < behind) low = middle
      else high = middle
    }
    return dot(along(high), along(high))
  }),
)

async function attack(
  solver: Solver,
  formulation: Formulation,
  { maxQueries = 2201, precision = 'float64' as Precision, seed = 1 } = {},
) {
  const problem = attackProblem(model, [image], { formulation })
  const session = { solver, set: problem.set, maxQueries, precision, seed, trackBest: true }
  const pictures: Float64Array[] = []
  const onIteration = () => {
    const picture = new Float64Array(dim)
    problem.paint(problem.account.variables('final') as Float64Array, 0, picture)
    pictures.push(picture)
    return undefined
  }
  const { stopReason } = await driveAttack(problem, session, { index: 0, title: '' }, { onIteration })
  const { tracks, queries } = problem.account
  return { ...tracks[0], queries, stopReason, curve: problem.account.curve(), pictures }
}

const rows = { SCD: 21 } as Readonly<Record<string, number>>
const forms = { constrained: constrained(), unconstrained: unconstrained() }

/** The golden attacks ask where the paper asks: also outside the box, by the length of a probe. */
const feasible = false

/** All seven methods on both problems: the formulation, the method, the first success and the best squared distortion. */
const cases: readonly (readonly [keyof typeof forms, string, Solver, number, number])[] = [
  ['constrained', 'SGD', zoSGD({ learningRate: 0.003, feasible }), 35, 0.7366772342528624],
  ['constrained', 'signSGD', zoSignSGD({ learningRate: 0.1, feasible }), 9, 0.7354931317559286],
  ['constrained', 'SCD', zoSCD({ learningRate: 0.003, feasible }), 39, 0.7247285452593368],
  ['constrained', 'PSGD', zoPSGD({ learningRate: 0.003, feasible }), 35, 0.7366772342528624],
  ['constrained', 'SMD', zoSMD({ learningRate: 0.006, feasible }), 35, 0.7366772342528624],
  ['constrained', 'NES', zoNES({ learningRate: 0.1, feasible }), 20, 0.7622175658924542],
  ['constrained', 'AdaMM', zoAdaMM({ learningRate: { value: 0.3, decay: 'sqrt' }, feasible }), 12, 0.7720462494674529],
  ['unconstrained', 'SGD', zoSGD({ learningRate: 0.03, feasible }), 20, 0.9003088853670184],
  ['unconstrained', 'signSGD', zoSignSGD({ learningRate: 0.3, feasible }), 8, 0.7616695301821264],
  ['unconstrained', 'SCD', zoSCD({ learningRate: 0.1, feasible }), 4, 0.7772402144816746],
  ['unconstrained', 'PSGD', zoPSGD({ learningRate: 0.03, feasible }), 20, 0.9003088853670184],
  ['unconstrained', 'SMD', zoSMD({ learningRate: 0.06, feasible }), 20, 0.9003088853670184],
  ['unconstrained', 'NES', zoNES({ learningRate: 0.3, feasible }), 15, 0.7641446054725548],
  [
    'unconstrained',
    'AdaMM',
    zoAdaMM({ learningRate: { value: 0.3, decay: 'sqrt' }, feasible }),
    43,
    0.8676742792821766,
  ],
]

test('the nearest adversarial picture is as far away as the weights say', () => {
  expect(nearest).toBeCloseTo(0.7178780160617336, 12)
})

describe.each(cases)('%s %s', (name, method, solver, iteration, l2sq) => {
  const formulation = forms[name]

  test('fools a linear model, and no picture that does is nearer than the nearest', async () => {
    const { first, best, final, queries } = await attack(solver, formulation)
    expect([first?.iteration, best?.l2sq]).toEqual([iteration, l2sq])
    expect(first?.queries).toBe((rows[method] ?? 11) * iteration + 1)
    expect(first?.predicted).toBe(2)
    expect(best?.l2sq).toBeGreaterThanOrEqual(nearest)
    expect(best?.l2sq).toBeLessThan(1.3 * nearest)
    expect(final?.queries).toBe(queries)
    expect(final?.l2sq).toBeLessThan(1.3 * nearest)
  })

  test('never asks more than it may, and ends with a look at where it is', async () => {
    for (const maxQueries of [1, 50, 333]) {
      const { queries, final, stopReason } = await attack(solver, formulation, { maxQueries })
      const iterations = Math.floor((maxQueries - 1) / (rows[method] ?? 11))
      expect(queries).toBe((rows[method] ?? 11) * iterations + 1)
      expect([final?.iteration, stopReason]).toEqual([iterations, 'max-queries'])
    }
  })

  test.each<Precision>(['float64', 'float32'])(
    'stays among pictures and has the same bits again in %s',
    async (precision) => {
      const once = await attack(solver, formulation, { maxQueries: 555, precision })
      for (const picture of once.pictures) expect(picture.every((each) => each >= 0 && each <= 1)).toBe(true)
      expect(await attack(solver, formulation, { maxQueries: 555, precision })).toEqual(once)
      expect((await attack(solver, formulation, { maxQueries: 555, precision, seed: 2 })).curve).not.toEqual(once.curve)
    },
  )
})

test('mirror descent with twice the rate of projected descent makes the same attack, bit for bit', async () => {
  const [smd, psgd] = [zoSMD({ learningRate: 0.006, feasible }), zoPSGD({ learningRate: 0.003, feasible })]
  expect(await attack(smd, constrained())).toEqual(await attack(psgd, constrained()))
})

describe.each(cases.slice(0, 7))('%s %s within limits', (_, __, solver) => {
  test('does not fool the model where no picture within them does', async () => {
    // A change of linf per pixel moves a rival by at most linf times the sum of its slopes' sizes.
    const sums = rivals.map(({ behind, slope }) => behind / slope.reduce((sum, each) => sum + Math.abs(each), 0))
    const linf = 0.99 * Math.min(...sums)
    const l2 = 0.99 * Math.sqrt(nearest)
    for (const formulation of [constrained({ linf }), constrained({ l2 })]) {
      const { first, final, curve } = await attack(solver, formulation, { maxQueries: 1101 })
      expect(first).toBeNull()
      expect(Math.min(...curve.loss)).toBeGreaterThan(0)
      expect(final?.linf).toBeGreaterThan(0)
    }
  })

  test('does where they leave room, and never leaves them', async () => {
    for (const [precision, formulation, linf, l2] of [
      ['float64', constrained({ linf: 0.4 }), 0.4, Infinity],
      ['float32', constrained({ linf: 0.4 }), 0.4, Infinity],
      ['float32', constrained({ l2: 1.05 }), 1, 1.05],
      ['float64', constrained({ linf: 0.5, l2: 1.05 }), 0.5, 1.05],
    ] as const) {
      const { best, curve } = await attack(solver, formulation, { precision })
      expect(best?.fooled).toBe(true)
      expect(Math.max(...curve.linf)).toBeLessThanOrEqual(linf)
      expect(Math.sqrt(Math.max(...curve.l2sq))).toBeLessThanOrEqual(l2)
    }
  })
})
