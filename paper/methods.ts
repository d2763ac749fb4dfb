/** A method as the paper names it. */
export interface Method {
  readonly title: string
  /** Its name as a part. */
  readonly name: string
}

/** The two ways to state an attack. */
export type ProblemName = 'constrained' | 'unconstrained'

/** The smoothing radius of all experiments of the paper, with pixels one apart from black to white. */
export const smoothing = 0.005

/** The paper's alpha_t = alpha / sqrt(t), which is not every method's own. */
export function paperRate(alpha: number): { readonly value: number; readonly decay: 'sqrt' } {
  return { value: alpha, decay: 'sqrt' }
}

const adamm: Method = { title: 'ZO-AdaMM', name: 'zo-adamm' }

/** The methods of Table A3, by problem. */
export const methods: Readonly<Record<ProblemName, readonly Method[]>> = {
  unconstrained: [
    { title: 'ZO-SCD', name: 'zo-scd' },
    { title: 'ZO-SGD', name: 'zo-sgd' },
    { title: 'ZO-signSGD', name: 'zo-sign-sgd' },
    adamm,
  ],
  constrained: [
    { title: 'ZO-NES', name: 'zo-nes' },
    { title: 'ZO-PSGD', name: 'zo-psgd' },
    { title: 'ZO-SMD', name: 'zo-smd' },
    adamm,
  ],
}

/** The method of that name for a problem. */
export function methodOf(problem: ProblemName, name: string): Method {
  const found = methods[problem].find((method) => method.name === name)
  if (found === undefined) throw new Error(`${name} is no method of the ${problem} problem`)
  return found
}
