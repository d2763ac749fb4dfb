import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { zoAdaMM, zoSGD } from '../methods/presets.ts'
import { box } from '../parts/sets/boxes.ts'
import { points } from './answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts'
import type { Outcome } from './errors.ts'
import { restoreMemory, resumeSearch, savedPart, saveMemory } from './part.ts'
import { createSession, type Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'
import type { Checkpoint, Memory, RunContext, Search, Solver } from './types.ts'

const memory = () => ({
  vectors: { point: Float64Array.of(1, 2) },
  state: { value: Number.NaN, phase: 'first', opened: false },
  parts: {
    step: { vectors: { first: Float32Array.of(3) }, parts: { '0': { state: { size: -0 } } } },
    none: undefined,
  },
})

describe('a saved memory', () => {
  test('has names that say whose they are, and copies of everything', () => {
    const live = memory()
    const saved = saveMemory(live)
    expect(saved).toEqual({
      vectors: { point: Float64Array.of(1, 2), 'step.first': Float32Array.of(3) },
      state: { value: Number.NaN, phase: 'first', opened: false, 'step.0.size': -0 },
    })
    live.vectors.point[0] = 9
    live.state.phase = 'second'
    expect(saved).toMatchObject({ vectors: { point: Float64Array.of(1, 2) }, state: { phase: 'first' } })
  })

  test('gives each part what it remembered', () => {
    expect(savedPart(saveMemory(memory()), 'step')).toEqual({
      vectors: { first: Float32Array.of(3) },
      state: { '0.size': -0 },
    })
    expect(savedPart(saveMemory(memory()), 'ste')).toEqual({ vectors: {}, state: {} })
  })

  test('is copied into vectors and states that stay the same objects', () => {
    const from = memory()
    from.vectors.point[1] = 7
    Object.assign(from.state, { value: -0, phase: 'second', opened: true })
    from.parts.step.parts['0'].state.size = 4
    const into = memory()
    const { vectors, state } = into
    restoreMemory(into, saveMemory(from))
    expect(into).toEqual(from)
    expect(into.vectors.point).toBe(vectors.point)
    expect(into.state).toBe(state)
  })

  test('of nothing is empty', () => {
    expect(saveMemory({})).toEqual({ vectors: {}, state: {} })
    expect(() => restoreMemory({}, { vectors: {}, state: {} })).not.toThrow()
  })
})

test.each<[string, Memory, string]>([
  [
    'a vector too many',
    { vectors: { a: Float64Array.of(1) } },
    'memory.a does not fit: no entries in the checkpoint, 1',
  ],
  ['a longer vector', { vectors: { point: Float64Array.of(1) } }, 'memory.point does not fit: 2 entries in the checkp'],
  ['a number too many', { state: { a: 1 } }, 'memory.a does not fit: nothing in the checkpoint, a number in this run'],
  [
    'a name for a number',
    { state: { value: 'x' } },
    'value does not fit: a number in the checkpoint, a string in this',
  ],
  ['a part less', { parts: { step: undefined } }, 'memory.step.first does not fit: 1 entries in the checkpoint, none'],
])('a memory with %s is refused', (_, changes, message) => {
  const live: Memory = memory()
  const into = {
    vectors: { ...live.vectors, ...changes.vectors },
    state: { ...live.state, ...changes.state },
    parts: { ...live.parts, ...changes.parts },
  }
  expect(() => restoreMemory(into, saveMemory(memory()))).toThrow(message)
  expect(() => restoreMemory(into, saveMemory(memory()))).toThrow(
    expect.objectContaining({ code: 'invalid-checkpoint' }),
  )
})

describe('a search is resumed', () => {
  const at = {} as RunContext
  const searchOf = (length: number): Search => ({ memory: { vectors: { v: new Float64Array(length) } } }) as never
  const saved = { vectors: { v: Float64Array.of(1, 2, 3) }, state: {} }

  test('by beginning it and filling its memory, where the solver has no other way', () => {
    expect(resumeSearch({ start: () => searchOf(3) }, at, saved).memory.vectors?.v).toEqual(saved.vectors.v)
    expect(() => resumeSearch({ start: () => searchOf(2) }, at, saved)).toThrow('memory.v does not fit')
  })

  test('or the way the solver does it, which is then filled, too', () => {
    const solver: Solver = {
      start: () => {
        throw new Error('begun')
      },
      resume: (_, { vectors }) => searchOf(vectors.v?.length ?? 0),
    }
    expect(resumeSearch(solver, at, saved).memory.vectors?.v).toEqual(saved.vectors.v)
  })
})

const solver = zoAdaMM({ directions: 2, learningRate: 0.1 })

function begin(options: Partial<SessionOptions> = {}): Session {
  return createSession([1, 2, 3], { solver, seed: 4, maxIterations: 10, ...options })
}

function go(
  session: Session,
  iterations: number,
  f = (x: ArrayLike<number>) => (x[0] as number) * (x[0] as number) + (x[1] as number),
) {
  for (let i = 0; i < iterations && session.outcome === undefined; i++) session.tell(points(session.ask()).map(f))
  return session
}

describe('a checkpoint', () => {
  test('is a copy: what the session does next does not reach it', () => {
    const session = go(begin(), 3)
    const checkpoint = session.checkpoint()
    const text = encodeCheckpoint(checkpoint)
    go(session, 4)
    expect(encodeCheckpoint(checkpoint)).toBe(text)
  })

  test('survives structuredClone', () => {
    const checkpoint = go(begin(), 3).checkpoint()
    expect(structuredClone(checkpoint)).toEqual(checkpoint)
  })

  test('says what it belongs to', () => {
    expect(go(begin(), 3).checkpoint()).toMatchObject({
      format: 'zeroth-checkpoint',
      version: 1,
      solver: expect.stringMatching(/^zo-adamm\(.*directions: 2.*along: sphere\(\)/),
      set: 'no constraint',
      seed: 4,
      dim: 3,
      precision: 'float64',
      iteration: 3,
      queries: 9,
    })
  })

  test('holds the point and the moments by name', () => {
    expect(Object.keys(go(begin(), 1).checkpoint().memory.vectors).sort()).toEqual([
      'point',
      'step.first',
      'step.maximum',
      'step.second',
    ])
  })
})

describe('as JSON', () => {
  const exact = (checkpoint: Checkpoint): Checkpoint => decodeCheckpoint(encodeCheckpoint(checkpoint))
  const template = go(begin(), 2).checkpoint()

  test('any numbers come back to the bit', () => {
    const number = fc.double()
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 3, maxLength: 3 }),
        number,
        number,
        number,
        (vector, value, worst, last) => {
          const checkpoint: Checkpoint = {
            ...template,
            best: { value, point: Float64Array.from(vector) },
            worst,
            finalValue: last,
            history: { spacing: 2, records: [{ iteration: 1, queries: 3, value: worst, best: value }] },
            memory: {
              vectors: { point: Float64Array.from(vector), single: Float32Array.from(vector) },
              state: { value, worst, phase: 'back', word: 'NaN', opened: true },
            },
            account: { vectors: { first: Float32Array.from(vector) }, state: { last } },
          }
          // toEqual tells -0 from 0 and finds NaN equal to NaN.
          expect(exact(checkpoint)).toEqual(checkpoint)
        },
      ),
      { numRuns: 300, seed: 1 },
    )
  })

  test('no last value stays no last value', () => {
    expect(exact({ ...template, finalValue: null }).finalValue).toBeNull()
  })

  test('the first reason of failures comes back as text', () => {
    const failures = { count: 2, first: new TypeError('no route') }
    expect(exact({ ...template, failures }).failures).toEqual({ count: 2, first: 'TypeError: no route' })
    expect(exact(template).failures).toEqual({ count: 0, first: undefined })
  })

  test('is the same text on every platform for the same run', () => {
    const parsed = JSON.parse(encodeCheckpoint(begin().checkpoint()))
    expect(parsed.memory.vectors.point).toEqual({ precision: 'float64', base64: 'AAAAAAAA8D8AAAAAAAAAQAAAAAAAAAhA' })
    expect(parsed.best.value).toBe('NaN')
    expect(parsed.worst).toBe('-Infinity')
  })
})

describe('damaged text is refused:', () => {
  const text = encodeCheckpoint(go(begin(), 2).checkpoint())
  const changed = (change: (json: { queries?: number; memory: { vectors: { point: object } } }) => void): string => {
    const json = JSON.parse(text)
    change(json)
    return JSON.stringify(json)
  }

  test.each<[string, string, string]>([
    ['half of it', text.slice(0, text.length / 2), 'the checkpoint is not JSON'],
    ['nothing', '', 'the checkpoint is not JSON'],
    ['another thing', '[]', 'checkpoint is not what encodeCheckpoint wrote: it must be an object'],
    [
      'another format',
      changed((json) => Object.assign(json, { format: 'x' })),
      'checkpoint.format is not what encodeCheckpoint wrote: ',
    ],
    [
      'a later version',
      changed((json) => Object.assign(json, { version: 2 })),
      'checkpoint.version is not what encodeCheckpoint wrote: it must be one of 1',
    ],
    [
      'a version that is no number',
      changed((json) => Object.assign(json, { version: 'x' })),
      'checkpoint.version is not what encodeCheckpoint wrote: ',
    ],
    [
      'a state that is none',
      changed((json) => Object.assign(json.memory, { state: { value: { number: '1' } } })),
      'checkpoint.memory.state.value.number is not what encodeCheckpoint wrote: it must be one of "NaN"',
    ],
    [
      'a missing field',
      changed((json) => void delete json.queries),
      'checkpoint.queries is not what encodeCheckpoint wrote: ',
    ],
    [
      'an extra field',
      changed((json) => Object.assign(json, { extra: 1 })),
      'checkpoint is not what encodeCheckpoint wrote: it must not hold extra',
    ],
    [
      'half an iteration',
      changed((json) => Object.assign(json, { iteration: 1.5 })),
      'checkpoint.iteration is not what encodeCheckpoint wrote: ',
    ],
    [
      'a negative count',
      changed((json) => Object.assign(json, { queries: -1 })),
      'checkpoint.queries is not what encodeCheckpoint wrote: ',
    ],
    [
      'a vector that is not base64',
      changed((json) => Object.assign(json.memory.vectors.point, { base64: '***' })),
      'the checkpoint holds a vector that is not base64',
    ],
    [
      'a vector cut in a number',
      changed((json) => Object.assign(json.memory.vectors.point, { base64: btoa('12345') })),
      'the checkpoint holds a vector of 5 bytes',
    ],
  ])('%s', (_, damaged, message) => {
    expect(() => decodeCheckpoint(damaged)).toThrow(message)
    expect(() => decodeCheckpoint(damaged)).toThrow(expect.objectContaining({ code: 'invalid-checkpoint' }))
  })

  test('whatever single character is changed, the text is refused or still a checkpoint: nothing else is thrown', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0"{}[],:x-'), (at, character) => {
        try {
          decodeCheckpoint(text.slice(0, at) + character + text.slice(at + 1))
        } catch (error) {
          expect(error).toMatchObject({ name: 'ZerothError', code: 'invalid-checkpoint' })
        }
      }),
      { numRuns: 300, seed: 1 },
    )
  })
})

describe('resuming', () => {
  const checkpoint = go(begin(), 3).checkpoint()

  test.each<[string, Partial<SessionOptions>, string]>([
    ['another seed', { seed: 5 }, 'resume.seed is 4, but this run has 5'],
    ['another precision', { precision: 'float32' }, 'resume.precision is float64, but this run has float32'],
    ['another solver', { solver: zoSGD() }, 'but this run has zo-sgd(learningRate: 0.03, '],
    [
      'another set',
      { set: box({ lower: [-1, -1, -1], upper: 1 }) },
      'resume.set is no constraint, but this run has box(lower: 24 bytes with checksum ',
    ],
    ['other options of the same solver', { solver: zoAdaMM({ maxSecondMoment: false }) }, 'maxSecondMoment: false'],
  ])('with %s is refused', (_, options, message) => {
    expect(() => begin({ ...options, resume: checkpoint })).toThrow(message)
    expect(() => begin({ ...options, resume: checkpoint })).toThrow(
      expect.objectContaining({ code: 'invalid-checkpoint' }),
    )
  })

  test('in another dimension is refused', () => {
    expect(() => createSession([1, 2], { solver, seed: 4, resume: checkpoint })).toThrow(
      'resume.dim is 3, but this run has 2',
    )
  })

  test.each<[string, Partial<Checkpoint>, string]>([
    ['no checkpoint at all', { format: 'x' as never }, 'resume.format is x, but this run has zeroth-checkpoint'],
    [
      'a vector missing',
      { memory: { vectors: { point: Float64Array.of(1, 2, 3) }, state: {} } },
      'resume.memory.step.first does not fit: no entries in the checkpoint, 3 in this run',
    ],
    [
      'a vector too short',
      { memory: { vectors: { ...checkpoint.memory.vectors, point: Float64Array.of(1, 2) }, state: {} } },
      'resume.memory.point does not fit: 2 entries in the checkpoint, 3 in this run',
    ],
    [
      'a number too many',
      { memory: { ...checkpoint.memory, state: { value: 1 } } },
      'resume.memory.value does not fit: a number in the checkpoint, nothing in this run',
    ],
    ['another version', { version: 2 as never }, 'resume.version is 2, but this run has 1'],
    [
      'a best point too short',
      { best: { value: 1, point: Float64Array.of(1) } },
      'resume.best.point does not fit: 1 entries in the checkpoint, 3 in this run',
    ],
  ])('from a checkpoint with %s is refused', (_, damage, message) => {
    expect(() => begin({ resume: { ...checkpoint, ...damage } })).toThrow(message)
  })

  test('from something else is refused', () => {
    expect(() => begin({ resume: 'text' as never })).toThrow('session.resume must be a checkpoint, got "text"')
  })

  test('a finished run asks nothing and says the same again', () => {
    const session = begin()
    const outcome = go(session, 99).outcome
    const resumed = begin({ resume: session.checkpoint() })
    expect(resumed.outcome).toEqual(outcome)
    const fromText = begin({ resume: decodeCheckpoint(encodeCheckpoint(session.checkpoint())) })
    expect(fromText.outcome).toEqual(outcome)
    expect(() => resumed.ask()).toThrow('ask: the session has ended (max-iterations)')
  })

  test('a run that reached its target asks nothing, too', () => {
    const session = begin({ target: 2.9 })
    const outcome = go(session, 99).outcome
    expect(outcome?.stopReason).toBe('target')
    expect(begin({ target: 2.9, resume: session.checkpoint() }).outcome).toEqual(outcome)
  })

  test('a finished run with more queries goes on as if it had never stopped', () => {
    const path = (session: Session): string[] => {
      const seen: string[] = []
      while (session.outcome === undefined) {
        const queries = session.ask()
        if (queries.rows > 1) seen.push(String(points(queries)))
        go(session, 1)
      }
      return seen
    }
    const first = begin({ maxIterations: undefined, maxQueries: 13 })
    const begun = path(first)
    const resumed = begin({ maxIterations: undefined, maxQueries: 32, resume: first.checkpoint() })
    const rest = path(resumed)
    const whole = begin({ maxIterations: undefined, maxQueries: 31 })
    expect([...begun, ...rest]).toEqual(path(whole))
    expect(begun).toHaveLength(4)
    // The value of the point where the first run ended was asked for once more.
    expect(resumed.outcome?.queries).toBe((whole.outcome?.queries as number) + 1)
    const { queries: _, history: __, ...same } = resumed.outcome as Outcome
    expect(whole.outcome).toMatchObject(same)
  })

  test('with less than was spent already ends at once', () => {
    const resumed = begin({ maxQueries: 5, resume: checkpoint })
    expect(resumed.outcome).toMatchObject({ stopReason: 'max-queries', queries: 9, iterations: 3 })
  })

  test('gives the time limit to the new run', () => {
    let now = 0
    const clock = () => now
    const session = go(begin({ maxTime: 10, clock }), 1)
    now = 100
    go(session, 1)
    expect(session.outcome?.stopReason).toBe('max-time')
    const resumed = begin({ maxTime: 10, clock, resume: session.checkpoint() })
    expect(resumed.outcome).toBeUndefined()
    expect(resumed.timeLeft).toBe(10)
  })

  test('keeps what was counted, and knows the latest iteration', () => {
    const session = begin({ failures: 'skip' })
    go(session, 2)
    session.ask()
    session.tell([5, Number.NaN, Number.NaN])
    const resumed = begin({ failures: 'skip', resume: session.checkpoint() })
    expect(resumed.latest).toEqual({ iteration: 3, queries: 9, value: 5, best: expect.any(Number) })
    expect(resumed.latest).toEqual(session.latest)
    expect(resumed.checkpoint()).toEqual(session.checkpoint())
    expect(resumed.checkpoint()).toMatchObject({ skippedIterations: 1, failures: { count: 2 } })
  })

  test('what was asked but not told is asked again', () => {
    const session = go(begin(), 3)
    const rows = points(session.ask())
    expect(points(begin({ resume: session.checkpoint() }).ask())).toEqual(rows)
  })

  test('an aborted run goes on', () => {
    const session = go(begin(), 3)
    session.ask()
    session.stop('aborted')
    const resumed = go(begin({ resume: session.checkpoint() }), 99)
    expect(resumed.outcome).toEqual(go(begin(), 99).outcome)
  })
})
