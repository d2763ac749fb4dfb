import { describe, expect, test } from 'vitest'
import type { SessionOptions } from '../../src/core/session-options.ts'
import type { Objective } from '../../src/core/types.ts'
import { zoSGD } from '../../src/solvers/zo-sgd.ts'
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
