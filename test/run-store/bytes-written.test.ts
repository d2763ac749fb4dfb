import { expect, test } from 'vitest'
import { driveRun } from '../../src/app/store/drive-run.ts'
import type { StoreFiles } from '../../src/app/store/run-file.ts'
import { zoAdaMM } from '../../src/optimizer/methods/presets.ts'
import { functionObjective } from '../../src/optimizer/objectives/function.ts'
import { memoryFiles } from './memory-files.ts'
import { about, clockFor, openOrCreate } from './stored-run.ts'

/** Counts what is written, by file. */
function counting(files: StoreFiles): StoreFiles & { written: Map<string, number> } {
  const written = new Map<string, number>()
  const names = new Map<number, string>()
  return {
    ...files,
    written,
    open(path, flags) {
      const file = files.open(path, flags)
      names.set(file, path.replace(/^run\//, ''))
      return file
    },
    write(file, bytes, offset, length) {
      const name = names.get(file) ?? ''
      written.set(name, (written.get(name) ?? 0) + length)
      return files.write(file, bytes, offset, length)
    },
  }
}

test.each([
  ['few', 10],
  ['many', 100_000],
])(
  'what an iteration writes does not depend on the variables, checkpoints are bounded by time (%s)',
  async (_, dim) => {
    const files = counting(memoryFiles())
    const iterations = 200
    const { objective, clock } = clockFor(
      functionObjective((x) => x[0] as number, { dim }),
      250,
    )
    const store = await openOrCreate('run', { files, clock })
    expect(store.meta.id).toBe(about.id)
    const solver = zoAdaMM({ directions: 10 })
    await driveRun(store, objective, new Float64Array(dim), { solver, maxIterations: iterations, precision: 'float32' })
    await store.close()
    const each = (name: string) => (files.written.get(name) ?? 0) / iterations
    // 11 queries an iteration: 24 bytes each, and the head of the record.
    expect(each('journal')).toBeLessThan(400)
    expect(each('trace.jsonl')).toBeLessThan(150)
    const checkpoints = ['checkpoint-a.tmp', 'checkpoint-b.tmp'].map((name) => files.written.get(name) ?? 0)
    const seconds = iterations / 4
    const last = 5 * 4 * dim + 16_384
    expect((checkpoints[0] as number) + (checkpoints[1] as number)).toBeLessThan(4e6 * seconds + last)
  },
)
