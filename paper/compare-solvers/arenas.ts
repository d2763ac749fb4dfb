import {
  type ConvexSet,
  l1Ball,
  robustRegression,
  rotatedQuadratic,
  type Solver,
  type TestProblem,
  wholeSpace,
  zoAdaMM,
  zoNES,
  zoPSGD,
  zoSCD,
  zoSGD,
  zoSignSGD,
  zoSMD,
} from '../../src/index.ts'

/** A method with the learning rates it may choose from: as many for each. */
export interface Contender {
  readonly name: string
  readonly rates: readonly number[]
  readonly make: (learningRate: number) => Solver
}

/** A problem, the set it is posed on, and the methods made for it. */
export interface Arena {
  readonly title: string
  readonly description: string
  readonly problem: TestProblem
  readonly set: ConvexSet
  readonly contenders: readonly Contender[]
}

const gradientRates = [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
const signRates = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]

const adamm: Contender = {
  name: 'ZO-AdaMM',
  rates: signRates,
  make: (value) => zoAdaMM({ learningRate: { value, decay: 'sqrt' } }),
}

const quadratic = rotatedQuadratic({ dim: 30, condition: 30 })

function l1Norm(x: Float64Array): number {
  return x.reduce((sum, value) => sum + Math.abs(value), 0)
}

/** The paper's two settings: four methods without constraints, four with them; ZO-AdaMM is in both. */
export const arenas: readonly Arena[] = [
  {
    title: 'unconstrained',
    description: 'robust regression, 30 variables',
    problem: robustRegression({ dim: 30, population: 60 }),
    set: wholeSpace(),
    contenders: [
      { name: 'ZO-SGD', rates: gradientRates, make: (learningRate) => zoSGD({ learningRate }) },
      { name: 'ZO-SCD', rates: gradientRates, make: (learningRate) => zoSCD({ learningRate }) },
      { name: 'ZO-signSGD', rates: signRates, make: (learningRate) => zoSignSGD({ learningRate }) },
      adamm,
    ],
  },
  {
    title: 'constrained',
    description: 'rotated quadratic on an l1 ball, 30 variables, the minimum on its surface',
    problem: quadratic,
    set: l1Ball({ radius: l1Norm(quadratic.minimizer ?? quadratic.start) }),
    contenders: [
      { name: 'ZO-PSGD', rates: gradientRates, make: (learningRate) => zoPSGD({ learningRate }) },
      { name: 'ZO-SMD', rates: gradientRates, make: (learningRate) => zoSMD({ learningRate }) },
      { name: 'ZO-NES', rates: signRates, make: (learningRate) => zoNES({ learningRate }) },
      adamm,
    ],
  },
]
