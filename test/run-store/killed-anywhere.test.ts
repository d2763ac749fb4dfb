import { describe, expect, test } from 'vitest'
import { openRun } from '../../src/app/store/open-run.ts'
import type { SessionOptions } from '../../src/optimizer/core/session-options.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'
import { bayesian } from '../../src/optimizer/methods/bayesian/bayesian.ts'
import { zoSGD } from '../../src/optimizer/methods/presets.ts'
import { box } from '../../src/optimizer/parts/sets/boxes.ts'
import { randomNumbers } from './damage.ts'
import { laterFiles, unhurried } from './later-files.ts'
import { type MemoryFiles, memoryFiles } from './memory-files.ts'
import { type Counted, clockFor, complete, countedBowl } from './stored-run.ts'

interface Copy {
  readonly files: MemoryFiles
  /** Queries asked before it was made. */
  readonly asked: number
}

/** Copies the run before each batch: each copy is what a process killed there leaves. */
function photographed(objective: Counted, files: MemoryFiles, copies: Copy[]): Objective {
  return {
    ...objective,
    evaluate(queries, into, signal) {
      copies.push({ files: files.copy(), asked: objective.asked })
      return objective.evaluate(queries, into, signal)
    },
  }
}

/** The trace of a run without its times. */
function traceOf(files: MemoryFiles): string {
  return new TextDecoder().decode(files.content('run/trace.jsonl')).replaceAll(/"seconds":[^}]+/g, '')
}

const shaky = (asked = 0) =>
  countedBowl(asked, (n) => {
    if (n % 7 < 3) throw new Error(`no answer to query ${n}`)
  })
const sgd = zoSGD({ directions: 3, learningRate: 0.01 })

const kinds: [string, Partial<SessionOptions>, (asked?: number) => Counted][] = [
  ['a plain run', {}, countedBowl],
  ['a run in float32', { precision: 'float32' }, countedBowl],
  ['a run that reaches its target', { target: 8.6 }, countedBowl],
  ['a run limited by iterations', { maxIterations: 12 }, countedBowl],
  ['a run of another solver', { solver: sgd, maxQueries: 80 }, countedBowl],
  ['a run whose failed queries are skipped', { failures: 'skip' }, shaky],
  ['a run whose failed queries count as the worst', { failures: 'worst' }, shaky],
]

describe.each(kinds)('%s', (_, given, make) => {
  test.each([
    ['without checkpoints on the way', 0, [], false],
    ['with checkpoints on the way', 1000, ['checkpoint-a', 'checkpoint-b'], false],
    ['with checkpoints beside the loop', 1000, ['checkpoint-a'], true],
  ])(
    'killed before any batch, %s, ends with the same bits and asks nothing twice',
    async (__, perBatch, made, beside) => {
      const finish = (disk: MemoryFiles, plain: Objective) => {
        const files = beside ? laterFiles(disk) : disk
        const { objective, clock } = clockFor(beside ? unhurried(plain, 3) : plain, perBatch)
        return complete('run', objective, given, { files, clock })
      }
      const files = memoryFiles()
      const copies: Copy[] = []
      const whole = make()
      const expected = await finish(files, photographed(whole, files, copies))
      expect(copies.length).toBeGreaterThan(10)
      const names = copies.at(-1)?.files.list('run') ?? []
      expect(names.filter((name) => /^checkpoint-.$/.test(name)).sort()).toEqual(
        beside ? expect.arrayContaining(made) : made,
      )
      for (const copy of copies) {
        const rest = make(copy.asked)
        const result = await finish(copy.files, rest)
        expect({ ...result, seconds: 0 }).toEqual({ ...expected, seconds: 0 })
        expect(rest.asked).toBe(whole.asked)
        expect(traceOf(copy.files)).toBe(traceOf(files))
      }
    },
  )
})

describe('a run with several queries under way', () => {
  const given: Partial<SessionOptions> = {
    solver: bayesian(),
    set: box({ lower: -3, upper: 3 }),
    failures: 'skip',
    maxQueries: 24,
    concurrency: 4,
  }

  /** Answers in any order; `asked` says which queries were begun. */
  const shuffled = (inner: Objective, seed: number) => {
    const random = randomNumbers(seed)
    const waiting: (() => void)[] = []
    const asked: number[] = []
    const most = { underWay: 0 }
    const evaluate: Objective['evaluate'] = (queries, into) => {
      asked.push(queries.key.iteration)
      return new Promise((resolve) => {
        waiting.push(() => {
          inner.evaluate(queries, into)
          resolve()
        })
        most.underWay = Math.max(most.underWay, waiting.length)
        setImmediate(() => waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.())
      })
    }
    return { objective: { ...inner, evaluate }, asked, most }
  }
  const without = (files: MemoryFiles, ...names: string[]): MemoryFiles => {
    for (const name of names) if (files.list('run').includes(name)) files.unlink(`run/${name}`)
    return files
  }

  test.each([
    ['without checkpoints on the way', 0],
    ['with checkpoints on the way', 1000],
  ])(
    'killed before any answer, %s, loses none, and a replay of all answers gives the same bits',
    async (_, perBatch) => {
      const copies: Copy[] = []
      const files = memoryFiles()
      const bowl = shaky()
      const { objective, most } = shuffled(photographed(bowl, files, copies), 1)
      const { clock } = clockFor(bowl, perBatch)
      await complete('run', objective, given, { files, clock })
      expect([copies.length, most.underWay]).toEqual([24, 4])
      for (const [at, copy] of copies.entries()) {
        const before = await openRun('run', { files: copy.files.copy(), fromStart: true })
        const records = before.unread
        await before.close()
        const timed = clockFor(shaky(at), perBatch)
        const resumed = shuffled(timed.objective, at)
        const result = await complete('run', resumed.objective, given, { files: copy.files, clock: timed.clock })
        expect(result.queries).toBe(24)
        // What was under way is asked again, and nothing else.
        expect(resumed.asked.length).toBe(24 - records)
        expect(at - records).toBeLessThan(4)
        expect(new Set(resumed.asked).size).toBe(resumed.asked.length)
        const nothing = countedBowl(0, () => {
          throw new Error('a replay asks nothing')
        })
        for (const names of [['result.json'], ['result.json', 'checkpoint-a', 'checkpoint-b', 'trace.jsonl']]) {
          const again = await complete('run', nothing, given, { files: without(copy.files.copy(), ...names) })
          expect({ ...again, seconds: 0 }).toEqual({ ...result, seconds: 0 })
        }
        expect(nothing.asked).toBe(0)
      }
    },
  )
})
