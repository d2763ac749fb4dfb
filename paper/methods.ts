import { type Solver, zoAdaMM, zoNES, zoPSGD, zoSCD, zoSGD, zoSignSGD, zoSMD } from '../src/index.ts'

/** A method as the paper names it, and how it is made with a learning rate. */
export interface Method {
  readonly title: string
  /** Its name as a part. */
  readonly name: string
  readonly make: (options: { readonly learningRate: number; readonly smoothing: number }) => Solver
}

/** The two ways to state an attack. */
export type ProblemName = 'constrained' | 'unconstrained'

/** The smoothing radius of all experiments of the paper, with pixels one apart from black to white. */
export const smoothing = 0.005

const adamm: Method = { title: 'ZO-AdaMM', name: 'zo-adamm', make: zoAdaMM }

/** The methods of Table A3, by problem. */
export const methods: Readonly<Record<ProblemName, readonly Method[]>> = {
  unconstrained: [
    { title: 'ZO-SCD', name: 'zo-scd', make: zoSCD },
    { title: 'ZO-SGD', name: 'zo-sgd', make: zoSGD },
    { title: 'ZO-signSGD', name: 'zo-sign-sgd', make: zoSignSGD },
    adamm,
  ],
  constrained: [
    { title: 'ZO-NES', name: 'zo-nes', make: zoNES },
    { title: 'ZO-PSGD', name: 'zo-psgd', make: zoPSGD },
    { title: 'ZO-SMD', name: 'zo-smd', make: zoSMD },
    adamm,
  ],
}

/** The method of that name for a problem. */
export function methodOf(problem: ProblemName, name: string): Method {
  const found = methods[problem].find((method) => method.name === name)
  if (found === undefined) throw new Error(`${name} is no method of the ${problem} problem`)
  return found
}
