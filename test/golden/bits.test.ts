import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeCheckpoint, encodeCheckpoint } from '../../src/optimizer/core/checkpoint.ts'
import { ZerothError } from '../../src/optimizer/core/errors.ts'
import { createSession, type Session } from '../../src/optimizer/core/session.ts'
import type { SessionOptions } from '../../src/optimizer/core/session-options.ts'
import type {
  Basis,
  ConvexSet,
  Directions,
  Estimator,
  Mirror,
  Precision,
  Solver,
  Step,
} from '../../src/optimizer/core/types.ts'
import type { TestProblem } from '../../src/optimizer/objectives/problems/test-problem.ts'
import {
  adaptiveMoments,
  aligned,
  box,
  central,
  chain,
  coordinate,
  descent,
  distanceOverGradients,
  forward,
  l2Ball,
  momentum,
  nearestBoundary,
  plain,
  scalarMoment,
  simba,
  simplex,
  slab,
  sphere,
  subspace,
  wholeSpace,
  zoAdaMM,
  zoSGD,
} from '../../src/parts.ts'
import { parts } from '../../src/registry.ts'

// Every solver, part, set and precision on small problems: SHA-256 over all that a run evaluates, every point it is at, and
// the point of a checkpoint taken up in the middle. A change of code that is meant to keep results changes no line of bits.
// After one that is meant to change them: npx vitest run --project unit -u test/golden/bits.test.ts

const dim = 6
const precisions: readonly Precision[] = ['float64', 'float32']
const start = [0.3, 0.1, 0.2, 0.15, 0.05, 0.2]

/** Sums and products alone: every engine rounds them the same way. */
function value(x: ArrayLike<number>): number {
  let sum = 0.25 * (x[0] as number) * (x[1] as number)
  for (let i = 0; i < x.length; i++) {
    const distance = (x[i] as number) - 0.5 + 0.125 * (i % 5)
    sum += (1 + (i % 3)) * distance * distance * (1 + distance * distance)
  }
  return sum
}

/** The same with noise that depends on the number of the query alone. */
const noisy = (x: ArrayLike<number>, query: number): number => value(x) + (((query * 7919) % 101) - 50) / 5000

/** The same where some queries fail, the very first among them. */
const failing = (x: ArrayLike<number>, query: number): number => (query % 7 === 0 ? Number.NaN : value(x))

type Answer = (x: ArrayLike<number>, query: number) => number
interface Setting {
  readonly set?: ConvexSet
  readonly answer?: Answer
  readonly options?: Partial<SessionOptions>
  readonly dim?: number
  readonly iterations?: number
}

const settings: Readonly<Record<string, Setting>> = {
  free: {},
  box: { set: box({ lower: 0, upper: 0.4 }) },
  'l2 ball': { set: l2Ball({ radius: 0.6 }) },
  simplex: { set: simplex() },
  slab: { set: slab({ normal: [1, 2, 1, 1, 0.5, 1], lower: -1, upper: 1.25 }) },
  noisy: { answer: noisy },
  failing: { answer: failing, set: box({ lower: -1, upper: 1 }), options: { failures: 'skip' } },
  'few queries': { dim: 30, options: { maxQueries: 100 } },
  'many variables': { dim: 130, iterations: 30 },
}

/** SHA-256 over numbers as little-endian float64. */
class Digest {
  readonly #hash = createHash('sha256')

  add(numbers: ArrayLike<number>): void {
    const bytes = new DataView(new ArrayBuffer(8 * numbers.length))
    for (let i = 0; i < numbers.length; i++) bytes.setFloat64(8 * i, numbers[i] as number, true)
    this.#hash.update(bytes)
  }

  get text(): string {
    return this.#hash.digest('hex').slice(0, 16)
  }
}

/** What a run evaluates and where it goes; from half-way on, a second run that takes up a checkpoint must do the same. */
function bitsOf(make: () => Solver, precision: Precision, setting: Setting): string {
  const { set = wholeSpace(), answer = value, iterations = 60 } = setting
  const length = setting.dim ?? dim
  const from = Array.from({ length }, (_, i) => start[i % start.length] as number)
  const begin = (extra: Partial<SessionOptions> = {}): Session =>
    createSession(from, {
      solver: make(),
      seed: 11,
      precision,
      set,
      maxIterations: iterations,
      ...setting.options,
      ...extra,
    })
  try {
    let session = begin()
    const digest = new Digest()
    const row = new Float64Array(length)
    let query = 0
    for (let iteration = 0; session.outcome === undefined; iteration++) {
      if (iteration === Math.floor(iterations / 2)) {
        session = begin({ resume: decodeCheckpoint(encodeCheckpoint(session.checkpoint())) })
        digest.add(session.checkpoint().memory.vectors.point ?? [])
      }
      const queries = session.ask()
      const values = Float64Array.from({ length: queries.rows }, (_, i) => {
        queries.write(i, row)
        digest.add(row)
        return answer(row, query++)
      })
      digest.add(values)
      session.tell(values)
      digest.add(session.checkpoint().memory.vectors.point ?? [])
    }
    const { point, value: found, last, stopReason, queries } = session.outcome
    for (const each of [point, last.point, [found, last.value, queries]]) digest.add(each)
    return `${digest.text} ${stopReason} ${queries}`
  } catch (error) {
    if (error instanceof ZerothError) return `refused: ${error.code}`
    throw error
  }
}

type Made<T> = ((options: object) => T) & {
  readonly definition: { readonly name: string; readonly examples: (dim: number) => readonly object[] }
}

/** Makers of every example of the parts of a kind, by a title. */
function examplesOf<T>(
  kind: keyof typeof parts,
  nested: Readonly<Record<string, readonly object[]>> = {},
): readonly (readonly [string, () => T])[] {
  return (parts[kind] as unknown as readonly Made<T>[]).flatMap((part) => {
    const { name, examples } = part.definition
    const tried = nested[name] ?? examples(dim)
    return tried.map((options, i) => [`${name} ${i + 1}`, () => part(options)] as const)
  })
}

const solvers = examplesOf<Solver>('solver', {
  descent: [
    { estimator: forward({ along: sphere() }), step: plain() },
    { estimator: central({ along: coordinate() }), step: adaptiveMoments() },
  ],
  strongest: [
    { nearer: nearestBoundary({ directions: 2 }) },
    { nearer: nearestBoundary({ directions: 3, refinement: 5 }) },
  ],
  'two-phase': [
    { first: simba({ step: 0.3 }), second: zoAdaMM({ directions: 3 }), patience: 6 },
    { first: zoAdaMM({ directions: 2 }), second: zoSGD(), patience: 20 },
  ],
})

test.each(Object.entries(settings))('solvers keep their bits: %s', async (title, setting) => {
  const lines = solvers.flatMap(([name, make]) =>
    precisions.map((precision) => `${name} ${precision}: ${bitsOf(make, precision, setting)}`),
  )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`./bits/solvers ${title}.txt`)
})

test('methods in a row keep their bits over a whole budget', async () => {
  const whole = { iterations: 1500, options: { maxQueries: 3000 } }
  const settings: Readonly<Record<string, Setting>> = {
    free: whole,
    box: { ...whole, set: box({ lower: 0, upper: 0.4 }) },
    'l2 ball': { ...whole, set: l2Ball({ radius: 0.6 }) },
    noisy: { ...whole, answer: noisy },
    failing: { ...whole, answer: failing, options: { maxQueries: 3000, failures: 'skip' } },
    rounded: { ...whole, answer: (x) => Math.round(50 * value(x)) / 50 },
    short: { iterations: 100, options: { maxQueries: 40 }, dim: 12 },
  }
  const lines = solvers
    .filter(([name]) => /^(auto|cma-es|quasi-newton|trust-region|block-descent|noisy-descent)/.test(name))
    .flatMap(([name, make]) =>
      Object.entries(settings).map(([title, setting]) => `${name} ${title}: ${bitsOf(make, 'float64', setting)}`),
    )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./bits/whole budgets.txt')
})

test('descent keeps its bits with every step, estimator, mirror, directions and basis', async () => {
  const steps = examplesOf<Step>('step', {
    chain: [
      { steps: [momentum(), adaptiveMoments()] },
      { steps: [scalarMoment({ beta1: 0 }), distanceOverGradients(), momentum({ beta: 0.5 })] },
    ],
  })
  const along = examplesOf<Directions>('directions', {
    given: [{ direction: (t: number, row: number) => start.map((_, i) => (i === (t + row) % dim ? 1 : 0)) }],
    subspace: [],
  })
  const bases = examplesOf<Basis>('basis').map(
    ([name, make]) => [`subspace of ${name}`, () => subspace({ basis: make() })] as const,
  )
  const estimators = (parts.estimator as unknown as readonly Made<Estimator>[]).flatMap((part) =>
    part.definition
      .examples(dim)
      .flatMap((options, i) =>
        [...along, ...bases].map(
          ([title, make]) =>
            [`${part.definition.name} ${i + 1} along ${title}`, () => part({ ...options, along: make() })] as const,
        ),
      ),
  )
  const mirrors = examplesOf<Mirror>('mirror')
  const made: readonly (readonly [string, () => Solver])[] = [
    ...steps.map(
      ([title, step]) => [title, () => descent({ estimator: forward({ along: sphere() }), step: step() })] as const,
    ),
    ...steps.map(
      ([title, step]) =>
        [
          `aligned, ${title}`,
          () => descent({ estimator: aligned({ along: sphere() }), step: chain({ steps: [step()] }) }),
        ] as const,
    ),
    ...estimators.map(([title, each]) => [title, () => descent({ estimator: each(), step: plain() })] as const),
    ...mirrors.map(
      ([title, mirror]) =>
        [title, () => descent({ estimator: central({ along: sphere() }), step: plain(), mirror: mirror() })] as const,
    ),
  ]
  const lines = made.flatMap(([title, make]) =>
    ['free', title.startsWith('entropy') ? 'simplex' : 'box'].flatMap((where) =>
      precisions.map(
        (precision) =>
          `${title}, ${where}, ${precision}: ${bitsOf(make, precision, { ...settings[where], iterations: 10 })}`,
      ),
    ),
  )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./bits/compositions.txt')
})

test('sets keep the bits of their projections', async () => {
  const points = [1, 2, 3, 4].map((k) => start.map((_, i) => ((((i + 3) * k * 37) % 23) - 11) / 5))
  const metric = start.map((_, i) => 0.5 + ((i * 5) % 4))
  const lines = examplesOf<ConvexSet>('set').flatMap(([title, make]) =>
    [Float64Array, Float32Array].map((Row) => {
      const digest = new Digest()
      for (const at of points) {
        for (const weights of [null, Row.from(metric)]) {
          const x = Row.from(at)
          const set = make()
          set.project(x, weights, new Float64Array(set.scratchSize(dim)))
          digest.add(x)
        }
      }
      return `${title} ${Row.name}: ${digest.text}`
    }),
  )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./bits/sets.txt')
})

test('test problems keep the bits of their values and gradients', async () => {
  const lines = examplesOf<TestProblem>('problem').map(([title, make]) => {
    const { value, gradient, start, dim } = make()
    const digest = new Digest()
    digest.add(start)
    for (const shift of [0, 0.125, -0.75]) {
      const x = Float64Array.from({ length: dim }, (_, i) => (start[i] as number) + shift * (1 + (i % 3)))
      digest.add([value(x)])
      digest.add(gradient(x))
    }
    return `${title}: ${digest.text}`
  })
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./bits/problems.txt')
})
