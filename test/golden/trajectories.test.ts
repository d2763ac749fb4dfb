import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  adaptiveMoments,
  box,
  type ConvexSet,
  central,
  createSession,
  descent,
  drive,
  type Estimator,
  euclidean,
  forward,
  functionObjective,
  given,
  l1Ball,
  l2Ball,
  type Mirror,
  nes,
  plain,
  radazo,
  type Step,
  sign,
} from '../../src/index.ts'

// The five-step trajectories without random numbers that every implementation of the paper must share (1e-11).
const golden = JSON.parse(readFileSync(new URL('./trajectories.json', import.meta.url), 'utf8')) as Record<
  string,
  number[][]
>

const f = (x: ArrayLike<number>): number => {
  const [a, b, c, d] = Array.from(x) as [number, number, number, number]
  return (a - 0.1) ** 2 + 2 * (b - 0.2) ** 2 + 3 * (c - 0.3) ** 2 + 4 * (d - 0.4) ** 2 + a * b + Math.sin(c)
}
const unit = (...v: number[]) => v.map((x) => x / Math.hypot(...v))
const along = given({ direction: (t, row) => (row === 0 ? unit(1, t, -1, 0.5) : unit(t, -1, 2, 1)) })
const coordinates = given({ direction: (t, row) => [0, 1, 2, 3].map((i) => (i === (t + row) % 4 ? 1 : 0)) })
// Probes where the paper has them, outside the set, too.
const probing = { along, directions: 2, smoothing: 1e-3, feasible: false }
const moments = { beta1: 0.9, beta2: 0.3, initialSecondMoment: 1e-5 }
const inBox = box({ lower: -0.8, upper: 0.9 })

interface Variant {
  estimator?: Estimator
  step?: Step
  mirror?: Mirror
  set?: ConvexSet
}
const variants: Record<string, Variant> = {
  sgd: {},
  sign: { step: sign() },
  scd: { estimator: central({ ...probing, along: coordinates }) },
  adamm: { step: adaptiveMoments(moments) },
  adamm_nomax: { step: adaptiveMoments({ ...moments, maxSecondMoment: false }) },
  radazo: { step: radazo(moments) },
  psgd_box: { set: inBox },
  smd_box: { set: inBox, mirror: euclidean({ weight: 1 }) },
  nes_box: { set: inBox, estimator: nes({ ...probing, referenceFactor: true }), step: sign() },
  adamm_box: { set: inBox, step: adaptiveMoments(moments) },
  adamm_l1: { set: l1Ball({ radius: 1 }), step: adaptiveMoments(moments) },
  adamm_l1_euclid: { set: l1Ball({ radius: 1 }), step: adaptiveMoments({ ...moments, projection: 'euclidean' }) },
  adamm_l2: { set: l2Ball({ radius: 1 }), step: adaptiveMoments(moments) },
}
for (const [name, variant] of Object.entries(variants)) {
  test(`${name} follows the golden trajectory`, async () => {
    const { set, ...parts } = variant
    const session = createSession([1, -1, 0.5, 0.25], {
      solver: descent({ estimator: forward(probing), step: plain(), learningRate: 0.1, ...parts }),
      maxIterations: 5,
      ...(set === undefined ? {} : { set }),
    })
    const seen: number[][] = []
    for await (const _ of drive(session, functionObjective(f, { dim: 4 }))) {
      seen.push(Array.from(session.checkpoint().memory.vectors.point as Float64Array))
    }
    const expected = golden[name] as number[][]
    expect(seen.length).toBe(5)
    let worst = 0
    seen.forEach((x, t) =>
      x.forEach((v, i) => {
        worst = Math.max(worst, Math.abs(v - (expected[t]?.[i] as number)))
      }),
    )
    expect(worst).toBeLessThan(1e-11)
  })
}
