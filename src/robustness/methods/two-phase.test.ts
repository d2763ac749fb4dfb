import { describe, expect, test } from 'vitest'
import { fakeModel } from '../../../test/attacks/fake-model.ts'
import { memoryFiles } from '../../../test/run-store/memory-files.ts'
import { about } from '../../../test/run-store/stored-run.ts'
import { driveRun } from '../../app/store/drive-run.ts'
import { createRun, openRun } from '../../app/store/open-run.ts'
import { makeAnswers, points } from '../../optimizer/core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../../optimizer/core/checkpoint.ts'
import { drive } from '../../optimizer/core/engine.ts'
import type { Outcome } from '../../optimizer/core/errors.ts'
import { createSession, type Session } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import type { Checkpoint, Solver } from '../../optimizer/core/types.ts'
import { zoAdaMM, zoSCD, zoSGD } from '../../optimizer/methods/presets.ts'
import { attackProblem } from '../attack-problem.ts'
import { signHunter } from './sign-hunter.ts'
import { simba } from './simba.ts'
import { square } from './square.ts'
import { twoPhase } from './two-phase.ts'

const dim = 6
const second = zoAdaMM({ directions: 3, learningRate: { value: 0.01 } })
const solver = twoPhase({ first: simba({ step: 0.4 }), second, shrink: 5 })

/** What is reached beyond a plane; the value is the distance to it, and behind it that to the start. */
const weights = [2, -1, 0.5, 1, -0.25, 0]
const marginOf = (x: ArrayLike<number>) => 0.8 - weights.reduce((sum, weight, i) => sum + weight * (x[i] as number), 0)
const costOf = (x: ArrayLike<number>) =>
  10 * Math.max(0, marginOf(x)) + Array.from(x).reduce((sum, each) => sum + each * each, 0)

interface Step {
  readonly rows: number
  readonly center: readonly number[]
  readonly reached: boolean
  readonly iteration: number
}

/** Answers until the end and tells what was asked in each iteration. */
function finish(session: Session, says = true, each: () => void = () => undefined): Step[] {
  const steps: Step[] = []
  while (session.outcome === undefined) {
    const queries = session.ask()
    const rows = points(queries)
    const answers = makeAnswers(queries.rows)
    answers.values.set(rows.map(costOf))
    const reached = marginOf(rows[0] ?? []) <= 0
    if (says) answers.reached = reached
    steps.push({ rows: queries.rows, center: Array.from(rows[0] ?? []), reached, iteration: queries.key.iteration })
    session.tell(answers)
    each()
  }
  return steps
}

const begin = (options: Partial<SessionOptions> = {}) =>
  createSession(new Float64Array(dim), { solver, maxQueries: 300, seed: 5, ...options })

describe('where the objective says that it is reached', () => {
  const session = begin()
  const steps = finish(session)
  const success = steps.findIndex(({ reached }) => reached)
  const outcome = session.outcome as Outcome

  test('the first method works until then, one point at a time', () => {
    expect(success).toBeGreaterThan(1)
    expect(steps.slice(0, success + 1).every(({ rows }) => rows === 1)).toBe(true)
  })

  test('then the way back is halved as often as asked, and the second method begins where it ended', () => {
    const far = steps[success]?.center ?? []
    const way = steps.slice(success + 1, success + 6)
    expect(way.every(({ rows }) => rows === 1)).toBe(true)
    const shares = way.map(({ center }) => Math.hypot(...center) / Math.hypot(...far))
    expect(shares[0]).toBeCloseTo(0.5, 12)
    const nearest = Math.min(1, ...shares.filter((_, i) => way[i]?.reached))
    const next = steps[success + 6]
    expect(next?.rows).toBe(4)
    expect(Math.hypot(...(next?.center ?? [])) / Math.hypot(...far)).toBeCloseTo(nearest, 12)
    expect(steps.slice(success + 6, -1).every(({ rows }) => rows === 4)).toBe(true)
  })

  test('iterations count on', () => {
    expect(steps.slice(0, -1).map(({ iteration }) => iteration)).toEqual(steps.slice(0, -1).map((_, i) => i + 1))
  })

  test('the answer is the best point that reached it, and is asked at the end', () => {
    const best = Math.min(...steps.filter(({ reached }) => reached).map(({ center }) => costOf(center)))
    expect(outcome.last.value).toBe(best)
    expect(steps.at(-1)).toMatchObject({ rows: 1, reached: true, center: Array.from(outcome.last.point) })
    // The nearest point beyond the plane is 0.8^2 / |weights|^2 away.
    expect(best).toBeGreaterThan(0.64 / 6.3125)
    expect(best).toBeLessThan(0.13)
  })

  test('without the way back, and without a pull, the second method begins at the success', () => {
    const direct = finish(begin({ solver: twoPhase({ first: simba({ step: 0.4 }), second, shrink: 0, pull: 0 }) }))
    expect(direct.slice(0, success + 1)).toEqual(steps.slice(0, success + 1))
    expect(direct[success + 1]).toMatchObject({ rows: 4, center: steps[success]?.center })
  })

  test('a success that is known only when its point is asked again counts', () => {
    const again = begin({ failures: 'skip' })
    const asked = steps.slice(0, success + 1).map(({ center }) => center)
    for (const center of asked) {
      expect(points(again.ask())).toEqual([Float64Array.from(center)])
      again.tell([Number.NaN])
      const answers = makeAnswers(1)
      again.ask()
      answers.values[0] = costOf(center)
      answers.reached = marginOf(center) <= 0
      again.tell(answers)
    }
    expect(Array.from(points(again.ask())[0] ?? [])).toEqual(steps[success + 1]?.center)
  })

  test('a start that is reached already is handed over as it is', () => {
    const there = finish(createSession([0.5, 0, 0, 0, 0, 0], { solver, maxQueries: 40 }))
    expect(there.slice(0, 2)).toMatchObject([{ rows: 1 }, { rows: 4, center: [0.5, 0, 0, 0, 0, 0] }])
  })

  test('the pull draws the point back to the start after every success, and only then', () => {
    const still = zoSGD({ directions: 3, learningRate: { value: 1e-12 } })
    const pulled = finish(
      begin({ solver: twoPhase({ first: simba({ step: 0.4 }), second: still, shrink: 0, pull: 0.25 }) }),
    )
    const norms = pulled.slice(success + 1, -1).map(({ center }) => Math.hypot(...center))
    const full = Math.hypot(...(steps[success]?.center ?? []))
    pulled.slice(success + 1, -1).forEach(({ reached }, i, all) => {
      const next = norms[i + 1]
      if (next !== undefined) expect(next / (norms[i] as number)).toBeCloseTo(reached ? 0.75 : 1, 6)
      if (i === 0) expect(norms[0]).toBeCloseTo(full, 12)
      if (i === all.length - 1) expect(reached).toBe(false)
    })
  })
})

test('a second method that goes by the distance from the start of the run is told where that was', () => {
  const session = begin({ solver: twoPhase({ first: simba({ step: 0.4 }) }) })
  const steps = finish(session)
  const success = steps.findIndex(({ reached }) => reached)
  expect(steps.slice(0, success + 1).every(({ rows }) => rows === 1)).toBe(true)
  // The nearest point beyond the plane, as near as can be.
  expect(session.outcome?.last.value).toBeLessThan(1.01 * (0.64 / 6.3125))
})

describe('where the objective says nothing', () => {
  test('the second method takes over the best point after a quarter of the queries', () => {
    const steps = finish(begin({ maxQueries: 80 }), false)
    expect(steps.findIndex(({ rows }) => rows === 4)).toBe(20)
    const best = steps.slice(0, 20).reduce((a, b) => (costOf(b.center) < costOf(a.center) ? b : a))
    expect(steps[20]?.center).toEqual(best.center)
  })

  test('or when its patience is over, or the first method has nothing more to do', () => {
    const patient = twoPhase({ first: simba(), second, patience: 7 })
    expect(finish(begin({ solver: patient }), false).findIndex(({ rows }) => rows === 4)).toBe(7)
    const hunter = twoPhase({ first: signHunter({ radius: 0.3 }), second, patience: 1000 })
    const steps = finish(begin({ solver: hunter, maxIterations: 100 }), false)
    const handover = steps.findIndex(({ rows }) => rows === 4)
    expect(handover).toBeGreaterThan(10)
    expect(steps[handover]?.center.map(Math.abs)).toEqual(new Array(dim).fill(0.3))
  })

  test('a first method that does not ask for its own points hands over the last of them', () => {
    const blind = twoPhase({ first: zoSCD({ directions: 1 }), second, patience: 5 })
    const session = createSession(new Float64Array(dim), { solver: blind, maxIterations: 6, trackBest: false })
    const handed: unknown[] = []
    const steps = finish(session, false, () => handed.push(Array.from(session.checkpoint().memory.vectors.point ?? [])))
    expect(steps.map(({ rows }) => rows)).toEqual([2, 2, 2, 4, 4, 4, 1])
    expect(steps[3]?.center).toEqual(handed[2])
    expect(steps[3]?.center.some((each) => each !== 0)).toBe(true)
  })
})

describe.each(['float64', 'float32'] as const)('in %s', (precision) => {
  test('a run goes on from a checkpoint of every iteration of all phases with the same bits', () => {
    const settings = { precision, maxIterations: 40 }
    const whole = begin(settings)
    const saved: Checkpoint[] = [whole.checkpoint()]
    const steps = finish(whole, true, () => saved.push(whole.checkpoint()))
    expect(new Set(steps.map(({ rows }) => rows))).toEqual(new Set([1, 4]))
    for (const checkpoint of saved) {
      const resumed = begin({ ...settings, resume: decodeCheckpoint(encodeCheckpoint(checkpoint)) })
      const rest = finish(resumed)
      expect(rest).toEqual(steps.slice(steps.length - rest.length))
      expect(resumed.outcome).toEqual(whole.outcome)
      expect(resumed.checkpoint()).toEqual(whole.checkpoint())
    }
  })
})

test('a resumed run begins the phase at work alone, and its checkpoint holds nothing of the others', () => {
  let begun: string[] = []
  const watched = (name: string, inner: Solver): Solver => ({
    start(at) {
      begun.push(name)
      return inner.start(at)
    },
  })
  const solver = twoPhase({
    first: watched('first', simba({ step: 0.4 })),
    second: watched('second', second),
    shrink: 5,
  })
  const whole = begin({ solver, maxIterations: 40 })
  const saved: Checkpoint[] = []
  finish(whole, true, () => saved.push(whole.checkpoint()))
  const phases = new Set<unknown>()
  for (const resume of saved) {
    begun = []
    const { phase } = resume.memory.state
    phases.add(phase)
    begin({ solver, maxIterations: 40, resume })
    expect(begun).toEqual(phase === 'back' ? [] : [phase])
    const owners = Object.keys(resume.memory.vectors).filter((name) => name.includes('.'))
    expect(owners.every((name) => name.startsWith('leg.') || name === 'policy.best')).toBe(true)
  }
  expect([...phases]).toEqual(['first', 'back', 'second'])
})

test('a second method that cannot begin is found out before anything is asked', () => {
  const shapeless = twoPhase({ first: simba({ step: 0.4, along: 'pixels' }), second: square() })
  expect(() => begin({ solver: shapeless })).toThrow('square needs to know the size of the image')
})

test('a phase that is none is refused', () => {
  const resume = begin().checkpoint()
  const memory = { ...resume.memory, state: { ...resume.memory.state, phase: 'third' } }
  expect(() => begin({ resume: { ...resume, memory } })).toThrow(
    'resume.memory.phase must be one of first, back, second, got third',
  )
})

test('what a method had to say when it began is not lost to a run that is resumed in the next one', () => {
  const noisy = twoPhase({ first: simba({ step: 0.4 }), second })
  const settings = { solver: noisy, population: 3, maxIterations: 60 }
  const whole = begin(settings)
  const saved: Checkpoint[] = []
  finish(whole, true, () => saved.push(whole.checkpoint()))
  expect(whole.warnings).toHaveLength(1)
  for (const resume of saved) {
    const resumed = begin({ ...settings, resume: decodeCheckpoint(encodeCheckpoint(resume)) })
    finish(resumed)
    expect(resumed.outcome).toEqual(whole.outcome)
  }
})

test('a second method that remembers where it began does so when it is taken up', () => {
  const settings = {
    solver: twoPhase({ first: simba({ step: 0.4 }), second: signHunter({ radius: 0.05 }) }),
    maxQueries: 60,
  }
  const whole = begin(settings)
  const saved: Checkpoint[] = []
  finish(whole, true, () => saved.push(whole.checkpoint()))
  for (const resume of saved) {
    const resumed = begin({ ...settings, resume })
    finish(resumed)
    expect(resumed.outcome).toEqual(whole.outcome)
  }
})

test.each([
  ['its checkpoint', false],
  ['its journal', true],
])('an attack in a run that is killed in every phase ends as one that is not, from %s', async (_, fromStart) => {
  const attack = (model: ReturnType<typeof fakeModel>) =>
    attackProblem(model, [{ pixels: new Float32Array(dim).fill(0.5), label: 0 }])
  const network = () => fakeModel(dim, 2, (x) => [marginOf(x.map((each) => each - 0.5)), 0])
  const settings = { solver, maxQueries: 120, seed: 5, precision: 'float32' as const }

  const whole = network()
  const { objective, start, set, shape, account } = attack(whole)
  const session = createSession(start, { ...settings, set, shape })
  for await (const _ of drive(session, objective)) void _
  const rows = whole.calls
  expect(rows.length).toBeGreaterThan(30)
  expect([rows[0], rows.at(-2), rows.at(-1)]).toEqual([1, 4, 1])

  const files = memoryFiles()
  const calls: number[] = []
  for (const until of [2, 4, 7, 9, 12, 20, Infinity]) {
    const model = network()
    const problem = attack(model)
    const store =
      calls.length === 0 ? await createRun('run', about, { files }) : await openRun('run', { files, fromStart })
    const controller = new AbortController()
    const onIteration = ({ iteration }: { iteration: number }) => iteration === until && controller.abort()
    const limits = { ...settings, set: problem.set, shape: problem.shape }
    const result = await driveRun(store, problem.objective, start, limits, { signal: controller.signal, onIteration })
    calls.push(...model.calls)
    await store.close()
    if (until !== Infinity) continue
    expect(result).toMatchObject({
      status: 'finished',
      queries: session.outcome?.queries,
      value: session.outcome?.value,
    })
    expect(problem.account.tracks).toEqual(account.tracks)
    expect(problem.account.curve()).toEqual(account.curve())
    expect(problem.account.queries).toBe(account.queries)
    expect(problem.account.tracks[0]?.final).toMatchObject({ fooled: true })
  }
  expect(calls).toEqual(rows)
})

describe('the end of its patience', () => {
  const stepsOf = (options: Partial<SessionOptions>) => finish(begin(options), false)

  test('is a quarter of whichever limit comes first', () => {
    const turned = (steps: readonly Step[]) => steps.findIndex(({ rows }) => rows > 1)
    expect(turned(stepsOf({ maxQueries: 400 }))).toBe(100)
    expect(turned(stepsOf({ maxQueries: 11_001, maxIterations: 80 }))).toBe(20)
  })

  test('does not hand over to a method that the budget leaves no iteration', () => {
    const session = begin({ maxQueries: 5 })
    const steps = finish(session, false)
    expect(steps.map(({ rows }) => rows)).toEqual([1, 1, 1, 1, 1])
    expect(session.outcome?.queries).toBe(5)
  })
})

test('methods that ask with different numbers of samples go on from a checkpoint with the same bits', () => {
  const sampled = twoPhase({
    first: simba({ step: 0.4 }),
    second: zoAdaMM({ directions: 2, samples: 4, learningRate: { value: 0.01 } }),
    shrink: 0,
  })
  const saved: Checkpoint[] = []
  const whole = begin({ solver: sampled, maxQueries: 150 })
  finish(whole, true, () => saved.push(whole.checkpoint()))
  for (const resume of saved) {
    const resumed = begin({ solver: sampled, maxQueries: 150, resume })
    finish(resumed)
    expect(resumed.outcome).toEqual(whole.outcome)
  }
})
