import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  central,
  coordinate,
  createSession,
  decodeCheckpoint,
  descent,
  drive,
  encodeCheckpoint,
  functionObjective,
  l2Ball,
  type MinimizeOptions,
  minimize,
  minimizeSync,
  type Outcome,
  orthogonal,
  type Precision,
  plain,
  points,
  type Session,
  zoAdaMM,
} from '../src/index.ts'

const dim = 11
const start = Array.from({ length: dim }, (_, i) => 1 - i / 8)

/** Nothing but sums and products of what it is given: every engine rounds it the same way. */
const f = (x: ArrayLike<number>): number => {
  let sum = (x[0] as number) * (x[1] as number)
  for (let i = 0; i < x.length; i++) {
    const distance = (x[i] as number) - 0.25 * i
    sum += (i + 1) * distance * distance
  }
  return sum
}

/** Every option given, so that better defaults do not look like other bits. */
const solver = zoAdaMM({
  directions: 3,
  smoothing: 2 ** -7,
  learningRate: { value: 0.125, decay: 'sqrt' },
  beta1: 0.9,
  beta2: 0.3,
  initialSecondMoment: 1e-5,
  maxSecondMoment: true,
})
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** SHA-256 over the last and the best point, as little-endian float64. */
function hash({ last, point }: Pick<Outcome, 'last' | 'point'>): string {
  const bytes = new DataView(new ArrayBuffer(16 * dim))
  for (let i = 0; i < dim; i++) {
    bytes.setFloat64(8 * i, last.point[i] as number, true)
    bytes.setFloat64(8 * (dim + i), point[i] as number, true)
  }
  return createHash('sha256').update(bytes).digest('hex')
}

// These must hold on every platform, in every engine and with every kernel. A second implementation of the run, written
// in another language from the formulas alone, gave the same hashes. If one changes, results of the past are lost.
const golden: Record<Precision, string> = {
  float64: '59a699dfa881e397ba43e510f27c8aabb7457fa0130194c852b1166722299bde',
  float32: '267237eb4b7882f891c2d1e209670701c5838e7af66a364b100542a2e30ab505',
}

describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
  const options: MinimizeOptions = { solver, precision, seed: 42, maxIterations: 25 }
  const expected = minimizeSync(f, start, options)
  const begin = (extra: Partial<MinimizeOptions> = {}): Session =>
    createSession(start, { solver, precision, seed: 42, maxIterations: 25, ...(extra as object) })

  test('a seeded run has this hash on every platform', () => {
    expect(hash(expected)).toBe(golden[precision])
  })

  test('another seed gives other points', () => {
    const seeds = [0, 1, 41, 43, 42 + 2 ** 32, Number.MAX_SAFE_INTEGER]
    const hashes = seeds.map((seed) => hash(minimizeSync(f, start, { ...options, seed })))
    expect(new Set([...hashes, hash(expected)]).size).toBe(7)
  })

  test('a promise for each query changes nothing', async () => {
    expect(await minimize(async (x) => f(x), start, options)).toEqual(expected)
  })

  test('several queries at once, answered out of order, change nothing', async () => {
    const shuffled = async (x: ArrayLike<number>, { row }: { row: number }) => {
      await wait((5 * row) % 3)
      return f(x)
    }
    for (const concurrency of [2, 4, 9])
      expect(await minimize(shuffled, start, { ...options, concurrency })).toEqual(expected)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, undefined])('batches of %s change nothing', async (batchSize) => {
    const batch = (list: readonly ArrayLike<number>[]) => list.map(f)
    const how = { ...options, batched: true, batchSize } as const
    expect(await minimize(batch, start, how)).toEqual(expected)
    expect(await minimize(async (list) => batch(list), start, how)).toEqual(expected)
  })

  test('ask and tell change nothing, in whatever order the rows are written', () => {
    const session = begin()
    while (session.outcome === undefined) {
      const queries = session.ask()
      const values = new Float64Array(queries.rows)
      const row = new Float64Array(dim)
      for (let i = queries.rows - 1; i >= 0; i--) {
        queries.write(i, row)
        queries.write((i + 1) % queries.rows, new Float64Array(dim))
        values[i] = f(row)
      }
      session.tell(values)
    }
    expect(session.outcome).toEqual(expected)
  })

  test('sessions that take turns do not disturb each other', async () => {
    const sessions = [begin(), begin({ seed: 7 }), begin()]
    const runs = sessions.map((session) =>
      drive(
        session,
        functionObjective(async (x) => f(x), { dim }),
      ),
    )
    for (let running = runs; running.length > 0; ) {
      const turns = await Promise.all(running.map((run) => run.next()))
      running = running.filter((_, i) => turns[i]?.done !== true)
    }
    expect(sessions[0]?.outcome).toEqual(expected)
    expect(sessions[2]?.outcome).toEqual(expected)
    expect(sessions[1]?.outcome).toEqual(minimizeSync(f, start, { ...options, seed: 7 }))
  })

  test('stopping after any iteration and going on from text changes nothing', () => {
    const whole = begin()
    const saved = [encodeCheckpoint(whole.checkpoint())]
    while (whole.outcome === undefined) {
      whole.tell(points(whole.ask()).map(f))
      saved.push(encodeCheckpoint(whole.checkpoint()))
    }
    expect(saved).toHaveLength(27)
    for (const text of saved) {
      expect(minimizeSync(f, start, { ...options, resume: decodeCheckpoint(text) })).toEqual(expected)
    }
  })

  test('stopping at every iteration of one and the same run changes nothing', () => {
    let session = begin()
    while (session.outcome === undefined) {
      session.tell(points(session.ask()).map(f))
      session = begin({ resume: decodeCheckpoint(encodeCheckpoint(session.checkpoint())) })
    }
    expect(session.outcome).toEqual(expected)
  })

  test('an abort in the middle of an evaluation, then going on, changes nothing', async () => {
    const controller = new AbortController()
    const session = begin()
    const hanging = functionObjective(
      (x, { iteration, row }) => (iteration === 9 && row === 2 ? new Promise(() => undefined) : f(x)),
      { dim },
    )
    setTimeout(() => controller.abort(), 2)
    for await (const _ of drive(session, hanging, { signal: controller.signal }));
    expect(session.outcome).toMatchObject({ status: 'aborted', iterations: 8 })
    expect(minimizeSync(f, start, { ...options, resume: session.checkpoint() })).toEqual(expected)
  })

  test('a failure, then going on, changes only the count of queries', async () => {
    let calls = 0
    const flaky = (x: ArrayLike<number>): number => (++calls === 30 ? Number.NaN : f(x))
    const session = begin({ failures: 'stop' })
    const objective = functionObjective(flaky, { dim })
    for await (const _ of drive(session, objective));
    expect(session.outcome?.status).toBe('failed')
    const resumed = minimizeSync(flaky, start, { ...options, resume: session.checkpoint() })
    expect(hash(resumed)).toBe(hash(expected))
    expect(resumed.queries).toBe(expected.queries + 4)
  })

  test.each([
    ['central differences along coordinates', central({ along: coordinate(), directions: 4, smoothing: 2 ** -7 })],
    ['orthogonal directions', central({ along: orthogonal(), directions: 4, smoothing: 2 ** -7, feasible: true })],
  ])('the same holds for %s in a ball', async (_, estimator) => {
    const how: MinimizeOptions = {
      ...options,
      solver: descent({ estimator, step: plain(), learningRate: 2 ** -7 }),
      set: l2Ball({ radius: 2 }),
    }
    const alone = minimizeSync(f, start, how)
    expect(await minimize(async (x) => f(x), start, { ...how, concurrency: 4 })).toEqual(alone)
    expect(hash(minimizeSync(f, start, { ...how, seed: 1 }))).not.toBe(hash(alone))
  })
})
