import { auto, cmaES, noisyDescent, quasiNewton, type Solver, trustRegion, zoAdaMM, zoNES } from '../src/index.ts'

/** A method to watch. */
interface Offered {
  readonly make: (learningRate: number) => Solver
  /** What it is called in a program, and how it is made there. */
  readonly import: string
  readonly code: (learningRate: number) => string
  /** Whether a learning rate matters to it. */
  readonly hasRate: boolean
}

/** The methods to watch, by name. */
export const solvers: Readonly<Record<string, Offered>> = {
  auto: plain('auto', () => auto()),
  'quasi-newton': plain('quasiNewton', () => quasiNewton()),
  'trust-region': plain('trustRegion', () => trustRegion()),
  'cma-es': plain('cmaES', () => cmaES()),
  'noisy-descent': plain('noisyDescent', () => noisyDescent()),
  'zo-adamm': rated('zoAdaMM', (learningRate) => zoAdaMM({ learningRate, directions: 2, smoothing: 1e-3 })),
  'zo-nes': rated('zoNES', (learningRate) => zoNES({ learningRate, directions: 2, smoothing: 1e-3 })),
}

function plain(name: string, make: () => Solver): Offered {
  return { make, import: name, code: () => `${name}()`, hasRate: false }
}

function rated(name: string, make: (learningRate: number) => Solver): Offered {
  const code = (rate: number) => `${name}({ learningRate: ${rate}, directions: 2, smoothing: 1e-3 })`
  return { make, import: name, code, hasRate: true }
}
