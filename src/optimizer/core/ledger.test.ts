import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auto, zoAdaMM } from '../../parts.ts'
import { maximize, minimize } from '../minimize/minimize.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { type Closing, closingWarnings, History, luckyValue } from './ledger.ts'
import { createSession } from './session.ts'
import type { HistoryRecord } from './types.ts'

describe('a history', () => {
  const record = (iteration: number): HistoryRecord => ({ iteration, queries: 10 * iteration, value: 0, best: 0 })
  const iterations = (history: History): number[] => history.records().map((each) => each.iteration)

  function filled(limit: number, count: number): History {
    const history = new History(limit)
    for (let iteration = 1; iteration <= count; iteration++) history.add(record(iteration))
    return history
  }

  test('keeps everything while there is room', () => {
    expect(iterations(filled(4, 4))).toEqual([1, 2, 3, 4])
  })

  test('drops every second record when it is full, and always shows the latest', () => {
    expect(iterations(filled(4, 5))).toEqual([1, 3, 5])
    expect(iterations(filled(4, 6))).toEqual([1, 3, 5, 6])
    expect(iterations(filled(4, 9))).toEqual([1, 5, 9])
    expect(iterations(filled(4, 20))).toEqual([1, 9, 17, 20])
  })

  test('never holds more than its limit and the latest, and is evenly spaced', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 500 }), (limit, count) => {
        const history = filled(limit, count)
        const kept = iterations(history)
        expect(kept.length).toBeLessThanOrEqual(limit + 1)
        expect(kept[0]).toBe(1)
        expect(kept.at(-1)).toBe(count)
        kept.slice(0, -1).forEach((each, index) => expect(each).toBe(1 + index * history.spacing))
      }),
      { numRuns: 100, seed: 1 },
    )
  })

  test('does not depend on when it is looked at, saved or restored', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (limit, before, after) => {
          const saved = filled(limit, before)
          saved.records()
          const restored = new History(limit, saved.records(), saved.spacing)
          for (let iteration = before + 1; iteration <= before + after; iteration++) restored.add(record(iteration))
          expect(restored.records()).toEqual(filled(limit, before + after).records())
        },
      ),
      { numRuns: 100, seed: 1 },
    )
  })

  test('hands out a copy', () => {
    const history = filled(4, 2)
    history.records().pop()
    expect(iterations(history)).toEqual([1, 2])
  })

  test('is empty before the first record', () => {
    expect(new History(3).records()).toEqual([])
  })
})

describe('the end of a run', () => {
  const fine: Closing = {
    first: 10,
    best: 1,
    worst: 12,
    last: 1,
    iterations: 20,
    queries: 100,
    noisy: false,
    failures: 0,
    converged: true,
  }
  const bowl = (x: Float64Array) => x.reduce((sum, each) => sum + each * each, 0)

  describe('closing warnings', () => {
    test('are none where a run got on, or where too little was asked to tell', () => {
      expect(closingWarnings(fine)).toEqual([])
      expect(closingWarnings({ ...fine, last: 900 })).toEqual([])
      expect(closingWarnings({ ...fine, best: 10, iterations: 1 })).toEqual([])
      expect(closingWarnings({ ...fine, best: 10, queries: 3 })).toEqual([])
      expect(closingWarnings({ ...fine, best: Number.NaN, first: Number.NaN })).toEqual([])
      expect(closingWarnings({ ...fine, queries: 0, iterations: 0 })).toEqual([])
    })

    test('say that a run diverged, and by how much, whatever the scale', () => {
      const said = 'the run diverged: its last value is worse than its first by'
      expect(closingWarnings({ ...fine, last: 5e80 })).toEqual([expect.stringContaining(`${said} 5e+80;`)])
      expect(closingWarnings({ ...fine, last: 1011 })).toEqual([expect.stringContaining(`${said} 1000;`)])
      expect(closingWarnings({ ...fine, first: 1e-8, best: 0, last: 2e-6 })).toEqual([expect.stringContaining(said)])
      expect(closingWarnings({ ...fine, first: 0, best: 0, last: 1 })[0]).not.toContain(said)
    })

    test('say that nothing was better than the first, and that all answers were the same', () => {
      expect(closingWarnings({ ...fine, best: 10 })).toEqual([expect.stringContaining('no progress')])
      expect(closingWarnings({ ...fine, first: 7, best: 7, worst: 7, last: 7, failures: 1 })).toEqual([
        expect.stringContaining('all 99 answers were the same'),
      ])
    })

    test('say that an objective has no minimum', () => {
      expect(closingWarnings({ ...fine, best: -1e136, last: -1e136 })).toEqual([expect.stringContaining('set bounds')])
      expect(closingWarnings({ ...fine, first: -1e35, best: -2e35, last: -2e35 })).toEqual([])
    })

    test('say that many failures may have ended a search', () => {
      expect(closingWarnings({ ...fine, failures: 25 })).toEqual([expect.stringContaining('25 of 100 queries failed')])
      expect(closingWarnings({ ...fine, failures: 24 })).toEqual([])
      expect(closingWarnings({ ...fine, failures: 25, converged: false })).toEqual([])
    })

    test('say only that every query failed where none was answered', () => {
      expect(closingWarnings({ ...fine, failures: 100 })).toEqual(['every query failed'])
    })
  })

  test('a learning rate that is far too large ends with a warning that names it', () => {
    const { last, warnings } = minimizeSync(bowl, [1, 2], { solver: zoAdaMM({ learningRate: 1e6 }), maxQueries: 100 })
    expect(last.value).toBeGreaterThan(1e6)
    expect(warnings).toEqual([expect.stringMatching(/^the run diverged.*lower learningRate/)])
  })

  test('a constant objective is reported, for a maximum too', async () => {
    expect(minimizeSync(() => 3, [1, 2]).warnings).toEqual([expect.stringContaining('answers were the same')])
    expect((await maximize(() => 3, [1, 2])).warnings).toEqual([expect.stringContaining('answers were the same')])
  })

  test('a run that began at the minimum says so; one that was stopped from outside does not', () => {
    const options = { solver: zoAdaMM(), maxQueries: 100 }
    expect(minimizeSync(bowl, [0, 0], options).warnings).toEqual([expect.stringContaining('no progress')])
    const onIteration = ({ iteration }: { iteration: number }) => (iteration === 5 ? 'stop' : undefined)
    expect(minimizeSync(bowl, [0, 0], { ...options, onIteration })).toMatchObject({
      stopReason: 'callback',
      warnings: [],
    })
  })

  test('a run whose answers vary is not said to have got nowhere because its first answer was a lucky one', async () => {
    let state = 38
    const noise = () => {
      state = (state * 48271) % 2147483647
      return state / 2147483647 - 0.5
    }
    const noisy = ({ level }: { level: number }) => 1 + level / 50 + 0.8 * noise()
    const variables = { level: { from: 1, to: 9, step: 1 } }
    const { value, history, warnings } = await minimize(noisy, { variables, maxQueries: 30, seed: 1 })
    expect(value).toBeGreaterThan(history[0]?.value ?? 0)
    expect(warnings).toEqual([])
  })

  test('a run that is resumed ends with the same warnings, once each', () => {
    const options = { solver: auto(), maxQueries: 60, seed: 1 }
    const step = (session: ReturnType<typeof createSession>): void => {
      const asked = session.ask()
      session.tell(new Float64Array(asked.rows).fill(2))
    }
    const whole = createSession([1, 2], options)
    while (whole.outcome === undefined) step(whole)
    expect(whole.outcome.warnings).toHaveLength(1)
    let parts = createSession([1, 2], options)
    while (parts.outcome === undefined) {
      step(parts)
      parts = createSession([1, 2], { ...options, resume: parts.checkpoint() })
    }
    expect(parts.outcome.warnings).toEqual(whole.outcome.warnings)
  })

  describe('a noisy run', () => {
    /** Between 0 and 0.5 above or below a bowl whose minimum is 0, by the number of the call. */
    const unsteady = () => {
      let calls = 0
      return (x: Float64Array) => bowl(x) + ((calls++ * 0.618) % 1) - 0.5
    }
    const options = { solver: auto(), maxQueries: 300, seed: 1 }

    test('that is stopped says that its value is the luckiest answer; a finished one asks its answer again', () => {
      const onIteration = ({ queries }: { queries: number }) => (queries > 200 ? 'stop' : undefined)
      const stopped = minimizeSync(unsteady(), [1, 2], { ...options, onIteration })
      expect(stopped).toMatchObject({ stopReason: 'callback', last: { value: Number.NaN } })
      expect(stopped.value).toBeLessThan(-0.3)
      expect(stopped.warnings).toContain(luckyValue)
      const finished = minimizeSync(unsteady(), [1, 2], options)
      expect(finished.value).toBe(finished.last.value)
      expect(finished.warnings).not.toContain(luckyValue)
    })

    test('that one answer brought to its target says so, too', () => {
      const reached = minimizeSync(unsteady(), [1, 2], { ...options, target: -0.3 })
      expect(reached.stopReason).toBe('target')
      expect(reached.warnings).toContain(luckyValue)
    })

    test('that is resumed to its end no longer says so', () => {
      const f = unsteady()
      const tell = (session: ReturnType<typeof createSession>): void => {
        const asked = session.ask()
        const point = new Float64Array(2)
        session.tell(
          Array.from({ length: asked.rows }, (_, row) => {
            asked.write(row, point)
            return f(point)
          }),
        )
      }
      const first = createSession([1, 2], options)
      for (let i = 0; i < 10; i++) tell(first)
      first.stop('aborted')
      expect(first.outcome?.warnings).toContain(luckyValue)
      const second = createSession([1, 2], { ...options, resume: first.checkpoint() })
      while (second.outcome === undefined) tell(second)
      expect(second.outcome.warnings).not.toContain(luckyValue)
    })
  })
})
