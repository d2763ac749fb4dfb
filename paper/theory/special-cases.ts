import {
  box,
  type ConvexSet,
  l1Ball,
  rotatedQuadratic,
  type Solver,
  wholeSpace,
  zoAdaMM,
  zoPSGD,
  zoSGD,
  zoSignSGD,
  zoSMD,
} from '../../src/index.ts'
import { path } from './follow.ts'
import { amount, type Check, observed, remarked, type Scale, type Verdict } from './verdict.ts'

const problem = rotatedQuadratic({ dim: 7, condition: 8 })
const shared = { learningRate: { value: 0.05, decay: 'sqrt' }, directions: 3, feasible: false } as const
const ball = l1Ball({ radius: 0.2 })
const inBox = box({ lower: -0.3, upper: 0.2 })

/** The limits in which ZO-AdaMM is one of its peers (section 3), bit for bit under one seed. */
export const specialCases: Check = {
  id: 'special-cases',
  statement:
    'Special cases: with the right betas ZO-AdaMM is ZO-signSGD, ZO-SGD or ZO-PSGD; in a box any metric will do.',
  run(scale) {
    const still = { ...shared, beta1: 0, beta2: 1, initialSecondMoment: 1, initialMaximum: 0.5 }
    const memoryless = { ...shared, beta1: 0, beta2: 0, initialSecondMoment: 0 }
    const euclidean = { ...shared, projection: 'euclidean' } as const
    return [
      same(
        'beta1 = beta2 = 0, v0 = 0, no maximum: ZO-signSGD',
        scale,
        zoAdaMM({ ...memoryless, maxSecondMoment: false }),
        zoSignSGD(shared),
      ),
      remarked(
        different('the same with the maximum: ZO-signSGD', scale, zoAdaMM(memoryless), zoSignSGD(shared)),
        "vhat is then the largest squared estimate so far: the paper's side condition vhat_t = v_t is essential.",
      ),
      same('beta1 = 0, beta2 = 1, v0 = 1, vhat0 <= 1: ZO-SGD', scale, zoAdaMM(still), zoSGD(shared)),
      same('the same on an l1 ball: ZO-PSGD', scale, zoAdaMM(still), zoPSGD(shared), ball),
      same('X = R^d: no projection', scale, zoAdaMM(shared), zoAdaMM(euclidean)),
      remarked(
        same('in a box: Euclidean = Mahalanobis', scale, zoAdaMM(shared), zoAdaMM(euclidean), inBox),
        "All constraints of the paper's experiments are boxes, so there the metric changes nothing.",
      ),
      different('on an l1 ball: Euclidean = Mahalanobis', scale, zoAdaMM(shared), zoAdaMM(euclidean), ball),
    ]
  },
}

/** Mirror descent as the reference code writes it. */
export const mirrorDescent: Check = {
  id: 'mirror-descent',
  statement: 'Mirror descent with psi = ||x||^2: ZO-SMD(alpha) is ZO-PSGD(alpha / 2).',
  run: (scale) => [
    same(
      'in a box',
      scale,
      zoSMD({ learningRate: 0.1, feasible: false }),
      zoPSGD({ learningRate: 0.05, feasible: false }),
      inBox,
    ),
    remarked(
      same('on an l1 ball', scale, zoSMD({ learningRate: 0.1 }), zoPSGD({ learningRate: 0.05 }), ball),
      'Cells of Tables A1 and A2 agree with it: PSGD 4e-4 and SMD 8e-4 both end at 245.92.',
    ),
  ],
}

/** Both solvers take the same points, to the last bit. */
export function same(claim: string, scale: Scale, one: Solver, other: Solver, set?: ConvexSet): Verdict {
  const { iterations, agree, measured } = compare(scale, one, other, set)
  return observed(claim, `same bits, ${iterations} iterations`, { measured, passed: agree })
}

/** They do not. */
function different(claim: string, scale: Scale, one: Solver, other: Solver, set?: ConvexSet): Verdict {
  const { agree, measured } = compare(scale, one, other, set)
  return observed(`NOT ${claim}`, 'differ', { measured, passed: !agree })
}

function compare(scale: Scale, one: Solver, other: Solver, set: ConvexSet = wholeSpace()) {
  const iterations = amount(scale, { quick: 60, full: 1000 })
  const run = { value: problem.value, start: problem.start, iterations, set, seed: 5 }
  const others = path(other, run)
  const first = path(one, run).findIndex((point, t) => point.some((each, i) => each !== others[t]?.[i]))
  const agree = first < 0
  return { iterations, agree, measured: agree ? 'same bits' : `differ from iteration ${first + 1} on` }
}
