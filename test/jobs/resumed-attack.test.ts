import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readSeconds } from '../../src/app/jobs/evaluation/attack-files.ts'
import { createAttack, readAttack } from '../../src/app/jobs/evaluation/attack-record.ts'
import { performAttack } from '../../src/app/jobs/evaluation/perform-attack.ts'
import { Session } from '../../src/optimizer/core/session.ts'
import { attackRecord } from '../attacks/attack-record.ts'
import { fakeModel } from '../attacks/fake-model.ts'
import { memoryDataset } from '../attacks/memory-dataset.ts'
import { cliFolder } from '../cli/cli-folder.ts'

const place = cliFolder()
const side = 12
const pixels = side * side
const shape = { channels: 1, height: side, width: side }
const image = { pixels: Array.from({ length: pixels }, (_, i) => 0.3 + 0.4 * ((i * 7) % 10) * 0.1), label: 1 }
const dataset = memoryDataset([image], {
  read: async () => ({ shape, pixels: Float32Array.from(image.pixels) }),
})
const solver = { name: 'zo-adamm', learningRate: { value: 0.01, decay: 'sqrt' }, directions: 10 }

afterEach(() => void vi.restoreAllMocks())

/** Class 1 where the mean is above a level; `hard` cannot be fooled within the limit. */
function model(isHard: boolean) {
  const mean = (x: Float64Array) => x.reduce((sum, each) => sum + each, 0) / pixels
  return fakeModel(pixels, 2, (x) => [0, 10 * (mean(x) - (isHard ? 0.3 : 0.42))], { shape, batch: 16 })
}

interface Performed {
  /** Rows that the model was asked about. */
  readonly rows: number
  /** Iterations of solvers, those that were computed again included. */
  readonly steps: number
}

/** Attacks the image, or goes on with it; stops at the n-th call of the model. */
async function perform(name: string, spec: object, stopAt = Infinity): Promise<Performed> {
  const folder = place(name)
  if (!existsSync(folder)) {
    const record = attackRecord({ parallel: 1, solver, maxQueries: 400, ...spec })
    await createAttack(folder, { ...record, model: { ...record.model, shape } })
  }
  const stopping = new AbortController()
  const asked = model('secondMethod' in spec)
  const stoppable: typeof asked = {
    ...asked,
    predict(...args) {
      if (asked.calls.length + 1 === stopAt) stopping.abort()
      return asked.predict(args[0], args[1])
    },
  }
  const tell = vi.spyOn(Session.prototype, 'tell')
  const open = async () => ({
    model: stoppable,
    dataset,
    retries: () => 0,
    onOutage: () => undefined,
  })
  const stage = { job: name, emit: () => undefined, signal: stopping.signal }
  await performAttack({ folder, record: readAttack(folder), open }, stage)
  const steps = tell.mock.calls.length
  tell.mockRestore()
  return { rows: asked.calls.reduce((sum, each) => sum + each, 0), steps }
}

const files = (name: string) =>
  ['summary.json', 'images/0000/image.json'].map((file) => readFileSync(place(name, file), 'utf8'))
const sizeOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

const kinds: [string, object][] = [
  ['one method', {}],
  ['a second method for what withstands', { secondMethod: true, problem: { name: 'constrained', linf: 0.02 } }],
]

describe.each(kinds)('an attack with %s', (kind, spec) => {
  const name = kind.replaceAll(' ', '-')

  test('that is stopped anywhere asks nothing again, computes nothing again, and ends with the same bits', async () => {
    const whole = await perform(name, spec)
    const expected = files(name)
    const hasSecond = 'secondMethod' in spec
    expect(existsSync(place(name, 'images/0000/second'))).toBe(hasSecond)
    for (const stopAt of [3, 9, 17, 25, 30, 33]) {
      const again = `${name}-${stopAt}`
      const before = await perform(again, spec, stopAt)
      const isIn = (part: string) => existsSync(place(again, 'images/0000', part))
      expect([isIn('image.json'), isIn('checkpoint-a') || isIn('checkpoint-b')]).toEqual([false, true])
      if (hasSecond) expect(isIn('second')).toBe(stopAt >= 30)
      const seconds = readSeconds(place(again)) ?? Number.NaN
      expect(seconds).toBeGreaterThan(0)
      const after = await perform(again, spec)
      expect(files(again)).toEqual(expected)
      expect(readSeconds(place(again))).toBeGreaterThan(seconds)
      // What was under way is asked again, and the image is screened once.
      expect(before.rows + after.rows - whole.rows).toBeLessThanOrEqual(16)
      expect(before.steps + after.steps - whole.steps).toBe(0)
    }
  })

  test('keeps little of an image that is done, and makes a lost record again without a query', async () => {
    const own = place(name, 'images/0000')
    const names = readdirSync(own, { recursive: true }).map(String)
    expect(names.filter((each) => each.includes('checkpoint'))).toEqual([])
    expect(names).toEqual(
      expect.arrayContaining(['image.json', 'journal', 'trace.jsonl', 'result.json', 'original.png']),
    )
    // 34 iterations: pictures, the record with its curve, journal and trace; a checkpoint alone would be twice that for an image.
    expect(sizeOf(own)).toBeLessThan(60_000)
    const expected = files(name)
    for (const lost of ['summary.json', 'images/0000/image.json']) rmSync(place(name, lost))
    const { rows } = await perform(name, spec)
    expect(files(name)).toEqual(expected)
    expect(rows).toBeLessThan(16)
  })
})
