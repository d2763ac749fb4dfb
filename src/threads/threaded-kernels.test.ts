import { afterAll, describe, expect, test } from 'vitest'
import { box, createSession, type Objective, type Vector, zoAdaMM, zoNES } from '../index.ts'
import { threadedKernels } from './threaded-kernels.ts'

const open: { dispose(): void }[] = []
afterAll(() => open.forEach((kernels) => kernels.dispose()))

function run(
  dim: number,
  precision: 'float32' | 'float64',
  threads: number | undefined,
  central: boolean,
): Float64Array {
  const kernels = threads === undefined ? ('scalar' as const) : threadedKernels({ threads, dim, precision })
  if (typeof kernels === 'object') open.push(kernels)
  const solver = central ? zoNES({ directions: 4 }) : zoAdaMM({ directions: 3 })
  const session = createSession(new Float64Array(dim).fill(0.1), {
    solver,
    set: box({ lower: -1, upper: 0.2 }),
    precision,
    maxIterations: 3,
    kernels,
  })
  const row = session.allocate(dim)
  const objective: Objective = {
    dim,
    evaluate(queries, into) {
      for (let i = 0; i < queries.rows; i++) {
        queries.write(i, row)
        into.values[i] = Float64Array.from(row).reduce((sum, value) => sum + value * value, 0)
      }
    },
  }
  while (session.outcome === undefined) {
    const queries = session.ask()
    const answers = session.answers()
    objective.evaluate(queries, answers)
    session.tell(answers)
  }
  return session.outcome.last.point
}

test('put away, they go on alone instead of hanging', () => {
  const dim = 20_000
  const kernels = threadedKernels({ threads: 2, dim, precision: 'float64' })
  const at = { seed: 1, iteration: 1, row: 1 }
  const [x, before, after] = [0, 1, 2].map(() => kernels.allocate(dim, 'float64')) as [Vector, Vector, Vector]
  kernels.perturbUnit(x, 1, at, before, 0)
  kernels.dispose()
  kernels.dispose()
  kernels.perturbUnit(x, 1, at, after, 0)
  expect(after).toEqual(before)
})

test.each([
  [{ threads: 0, dim: 5 }, 'threadedKernels.threads must be at least 1, got 0'],
  [{ threads: 2, dim: -1 }, 'threadedKernels.dim must be at least 1, got -1'],
  [{ threads: 2, dim: 5, precision: 'x' }, 'threadedKernels.precision must be one of "float64", "float32", got "x"'],
  [{ threads: 2, dim: 5, thread: 3 }, 'threadedKernels has no option thread; did you mean threads?'],
])('%o is refused', (options, message) => {
  expect(() => threadedKernels(options as never)).toThrow(message)
})

describe.each(['float32', 'float64'] as const)('%s', (precision) => {
  test.each([5, 8192, 20_001, 65_536])(
    'any number of threads gives the bits of the scalar kernels at d = %i',
    (dim) => {
      for (const central of [false, true]) {
        const expected = run(dim, precision, undefined, central)
        for (const threads of [1, 2, 3]) expect(run(dim, precision, threads, central)).toEqual(expected)
      }
    },
  )
})
