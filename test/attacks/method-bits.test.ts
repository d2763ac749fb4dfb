import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeCheckpoint, encodeCheckpoint } from '../../src/optimizer/core/checkpoint.ts'
import { createSession } from '../../src/optimizer/core/session.ts'
import type { SessionOptions } from '../../src/optimizer/core/session-options.ts'
import type { Answers, Checkpoint, Objective, Precision, Queries, Solver } from '../../src/optimizer/core/types.ts'

import {
  adaptiveSquare,
  box,
  cmaES,
  labelOnly,
  nearestBoundary,
  signHunter,
  simba,
  square,
  strongest,
  twoPhase,
  zoSGD,
} from '../../src/parts.ts'
import { attackProblem, type CleanImage } from '../../src/robustness/attack-problem.ts'
import { embeddedImages, embeddedModel } from '../../src/robustness/embedded/embedded.ts'
import { constrained, unconstrained } from '../../src/robustness/formulations.ts'
import { linearModel } from '../../src/robustness/models/linear.ts'
import type { Model } from '../../src/robustness/models/model.ts'

// What the methods for attacks ask and what they make of the answers, bit for bit: a change of these checksums is a change of
// results. `UPDATE_BITS=1` writes them anew.
const file = new URL('./method-bits.json', import.meta.url)
const isUpdating = process.env.UPDATE_BITS === '1'
const expected = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
const found: Record<string, string> = isUpdating ? {} : expected

const digits = await embeddedModel('digits').open()
const dataset = await embeddedImages('digits', 'tuning')
const imageAt = async (index: number) => ({
  pixels: (await dataset.read(index)).pixels,
  label: dataset.label(index) as number,
})
const [first, second] = [await imageAt(0), await imageAt(1)]

/** A model of the same scores that only tells the class. */
const labels: Model = {
  ...digits,
  scores: 'labels',
  async predict(pictures, scores, signal) {
    await digits.predict(pictures, scores, signal)
    for (let from = 0; from < scores.length; from += digits.classes) {
      const own = scores.subarray(from, from + digits.classes)
      const most = own.indexOf(Math.max(...own))
      own.fill(0)
      own[most] = 1
    }
  },
}

/** An image with more pixels than the slopes of which can be taken, and a model that is hard to fool. */
const wideShape = { channels: 1, height: 72, width: 72 }
const widePixels = Float32Array.from({ length: 72 * 72 }, (_, i) => (2 + (i % 5)) / 8)
const wideModel = await linearModel({
  shape: wideShape,
  weights: [0, 1, 2].map((k) =>
    Array.from(widePixels, (_, i) => Math.fround(0.05 * Math.cos(1 + k + 0.01 * (k + 1) * i))),
  ),
  bias: [60, 0, 0],
}).open()
const easyWide = await linearModel({
  shape: wideShape,
  weights: [0, 1, 2].map((k) =>
    Array.from(widePixels, (_, i) => Math.fround(0.05 * Math.cos(1 + k + 0.01 * (k + 1) * i))),
  ),
  bias: [2, 0, 0],
}).open()

interface Problem {
  readonly objective: Objective
  readonly start: Float64Array
  readonly options: Partial<SessionOptions>
}

function attackOn(model: Model, image: CleanImage, formulation = constrained()): Problem {
  const { objective, start, set, shape, attack } = attackProblem(model, [image], { formulation })
  return { objective, start, options: { set, shape, attack, trackBest: true } }
}

const any: CleanImage = first
const others = await Promise.all([2, 3, 4, 5].map(imageAt))
const examples = [second, ...others].map(({ pixels }) => pixels)
const target: CleanImage = { ...any, target: second.label, examples }
const wide: CleanImage = { pixels: widePixels, label: 0 }
const dim = 36

/** A problem that never says what success is. */
function quadratic(shape: { channels: number; height: number; width: number }): Problem {
  const length = shape.channels * shape.height * shape.width
  const objective: Objective = {
    dim: length,
    evaluate(queries, into) {
      const x = new Float64Array(length)
      for (let row = 0; row < queries.rows; row++) {
        queries.write(row, x)
        into.values[row] = x.reduce((sum, each, i) => sum + (1 + (i % 3)) * (each - 0.1 * (i % 7)) ** 2, 0)
      }
    },
  }
  return { objective, start: new Float64Array(length).fill(0.5), options: { shape, set: box({ lower: -1, upper: 1 }) } }
}

const problems: Readonly<Record<string, () => Problem>> = {
  constrained: () => attackOn(digits, any),
  unconstrained: () => attackOn(digits, any, unconstrained()),
  linf: () => attackOn(digits, any, constrained({ linf: 0.15 })),
  l2: () => attackOn(digits, any, constrained({ l2: 2 })),
  'linf and l2': () => attackOn(digits, second, constrained({ linf: 0.3, l2: 1 })),
  targeted: () => attackOn(digits, target),
  'targeted, l2': () => attackOn(digits, target, constrained({ l2: 6 })),
  'no goal': () => quadratic({ channels: 1, height: 6, width: dim / 6 }),
}
const onLabels: Readonly<Record<string, () => Problem>> = {
  constrained: () => attackOn(labels, any),
  unconstrained: () => attackOn(labels, any, unconstrained()),
  linf: () => attackOn(labels, any, constrained({ linf: 0.25 })),
  l2: () => attackOn(labels, any, constrained({ l2: 3 })),
  targeted: () => attackOn(labels, target),
}
const onWide: Readonly<Record<string, () => Problem>> = {
  wide: () => attackOn(wideModel, wide),
  'easy wide': () => attackOn(easyWide, wide),
  'wide, linf': () => attackOn(easyWide, wide, constrained({ linf: 0.05 })),
  'wide, l2': () => attackOn(wideModel, wide, constrained({ l2: 4 })),
  'wide, no goal': () => quadratic(wideShape),
}

const all = Object.keys(problems)
const some = ['unconstrained', 'linf and l2', 'targeted']
const solvers: readonly (readonly [string, () => Solver, readonly string[]])[] = [
  ['simba', () => simba({ step: 0.5 }), all],
  ['simba along pixels', () => simba({ step: 0.3, along: 'pixels' }), some],
  ['sign-hunter', () => signHunter(), all],
  ['square', () => square(), all],
  ['adaptive-square', () => adaptiveSquare(), all],
  ['nearest-boundary', () => nearestBoundary(), all],
  [
    'nearest-boundary after simba',
    () => nearestBoundary({ first: simba({ step: 0.5 }), directions: 4, refinement: 12 }),
    some,
  ],
  ['two-phase', () => twoPhase(), some],
  [
    'two-phase pulled',
    () => twoPhase({ first: square({ radius: 0.3 }), second: zoSGD({ learningRate: 0.001 }), pull: 0.1, shrink: 3 }),
    ['linf', 'targeted, l2'],
  ],
  ['two-phase impatient', () => twoPhase({ first: signHunter({ radius: 0.05 }), second: cmaES(), patience: 40 }), some],
  ['strongest', () => strongest(), all],
]
const solversOfLabels = { 'label-only': () => labelOnly(), 'strongest, labels': () => strongest() }
const solversOfWide = {
  'nearest-boundary': () => nearestBoundary(),
  'adaptive-square': () => adaptiveSquare(),
  strongest: () => strongest(),
}

interface Course {
  /** A checksum per batch, and one of how it ended. */
  readonly batches: readonly string[]
  readonly end: string
  /** After each whole iteration, with how many batches there were. */
  readonly checkpoints: readonly { readonly checkpoint: Checkpoint; readonly told: number }[]
}

/** Centers of some iterations and some other rows fail: a row that is asked again fails again. */
function fail({ key, rows, centers }: Queries, into: Answers): void {
  for (let row = 0; row < rows; row++) {
    const isFailing = row < centers ? key.iteration % 7 === 3 : (31 * key.iteration + row) % 11 === 0
    if (isFailing) into.failed[row] = 1
  }
}

async function run(
  solver: Solver,
  { objective, start, options }: Problem,
  more: Partial<SessionOptions>,
  fails: boolean,
): Promise<Course> {
  const session = createSession(start, { solver, seed: 5, maxQueries: 300, failures: 'skip', ...options, ...more })
  const batches: string[] = []
  const checkpoints: { checkpoint: Checkpoint; told: number }[] = []
  while (session.outcome === undefined) {
    const queries = session.ask()
    const answers = session.answers()
    await objective.evaluate(queries, answers)
    if (fails) fail(queries, answers)
    batches.push(checksumOf(queries, answers))
    const before = session.latest?.iteration
    session.tell(answers)
    if (session.latest?.iteration !== before)
      checkpoints.push({ checkpoint: session.checkpoint(), told: batches.length })
  }
  const { stopReason, value, last, iterations, phases } = session.outcome
  const end = createHash('sha256')
    .update(bits([value, last.value, iterations, ...last.point]))
    .update(`${stopReason} ${JSON.stringify(phases?.map(({ method, queries }) => [method, queries]))}`)
  return { batches, end: end.digest('hex'), checkpoints }
}

function bits(numbers: ArrayLike<number>): Uint8Array {
  return new Uint8Array(Float64Array.from(numbers).buffer)
}

function checksumOf(queries: Queries, answers: Answers): string {
  const { rows, centers, key, dim: length } = queries
  const x = new Float64Array(length)
  const hash = createHash('sha256')
  const reached = answers.reached === undefined ? 2 : Number(answers.reached)
  hash.update(
    bits([rows, centers, key.iteration, reached, Number(queries.detailed === true), ...(answers.notes ?? [])]),
  )
  for (let row = 0; row < rows; row++) {
    queries.write(row, x)
    const isFiner = Number(queries.isFiner?.(row) === true)
    hash.update(bits([isFiner, queries.sample(row), answers.failed[row] as number, answers.values[row] as number]))
    hash.update(new Uint8Array(x.buffer))
  }
  return hash.digest('hex')
}

function frozen(name: string, solver: () => Solver, problem: () => Problem): void {
  for (const [precision, fails] of variants) {
    const title = `${name}, ${precision}${fails ? ', with failures' : ''}`
    test(title, async () => {
      const { batches, end, checkpoints } = await run(solver(), problem(), { precision }, fails)
      const checksum = createHash('sha256').update(batches.join(' ')).update(end).digest('hex').slice(0, 16)
      if (isUpdating) found[title] = checksum
      expect(checksum).toBe(found[title])
      // The rest of a run from its middle, through JSON, is that of the whole one.
      const { checkpoint, told } = checkpoints[Math.floor(checkpoints.length / 2)] as Course['checkpoints'][0]
      const resume = decodeCheckpoint(encodeCheckpoint(checkpoint))
      const rest = await run(solver(), problem(), { precision, resume }, fails)
      expect(rest.batches).toEqual(batches.slice(told))
      expect(rest.end).toBe(end)
    })
  }
}

const variants: readonly (readonly [precision: Precision, fails: boolean])[] = [
  ['float64', false],
  ['float32', true],
]

describe('methods on digits', () => {
  for (const [name, solver, on] of solvers) {
    for (const each of on) frozen(`${name}: ${each}`, solver, problems[each] as () => Problem)
  }
})
describe('methods on a model of classes', () => {
  for (const [name, solver] of Object.entries(solversOfLabels)) {
    for (const [on, problem] of Object.entries(onLabels)) frozen(`${name}: ${on}, labels`, solver, problem)
  }
})
describe('methods on a large image', () => {
  for (const [name, solver] of Object.entries(solversOfWide)) {
    for (const [on, problem] of Object.entries(onWide)) frozen(`${name}: ${on}`, solver, problem)
  }
})

test.runIf(isUpdating)('writes the checksums', () => {
  writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`)
})
