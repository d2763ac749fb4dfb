import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { sampleQueries } from '../../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../core/answers.ts'
import type { ZerothError } from '../core/errors.ts'
import type { Answers, Objective } from '../core/types.ts'
import { zoAdaMM } from '../methods/presets.ts'
import { minimize } from '../minimize/minimize.ts'
import { moduleObjective } from './module.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-module-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0

/** A module of its own: one that was imported is never read again. */
function moduleOf(text: string, extension = 'mjs'): string {
  const file = join(folder, `module-${files++}.${extension}`)
  writeFileSync(file, text)
  return file
}

async function answered(objective: Objective, rows: number, signal?: AbortSignal): Promise<Answers> {
  const answers = makeAnswers(rows)
  await objective.evaluate(sampleQueries(rows), answers, signal)
  return answers
}

async function reason(options: Omit<Parameters<typeof moduleObjective>[0], 'dim'>): Promise<ZerothError> {
  const { failed, reasons } = await answered(moduleObjective({ dim: 2, ...options }), 2)
  expect(Array.from(failed)).toEqual([1, 1])
  expect(reasons[0]).toMatchObject({ code: 'invalid-objective', retryable: false })
  return reasons[0] as ZerothError
}

const sum = 'export default (x) => x[0] + x[1]'

describe('a module', () => {
  test.each([
    ['a path', (file: string) => file],
    ['a path from the current folder', (file: string) => relative('.', file)],
    ['a URL', (file: string) => pathToFileURL(file)],
    ['the text of a URL', (file: string) => pathToFileURL(file).href],
  ])('may be given as %s', async (_, given) => {
    const { values } = await answered(moduleObjective({ dim: 2, module: given(moduleOf(sum)) }), 3)
    expect(Array.from(values)).toEqual([0, 11, 22])
  })

  test('may be a data: URL', async () => {
    const { values } = await answered(moduleObjective({ dim: 2, module: `data:text/javascript,${sum}` }), 3)
    expect(Array.from(values)).toEqual([0, 11, 22])
  })

  test('is imported by the first query; after that a synchronous function makes no promise', async () => {
    const objective = moduleObjective({ dim: 2, module: moduleOf(sum) })
    expect(objective.evaluate(sampleQueries(1), makeAnswers(1))).toBeInstanceOf(Promise)
    await answered(objective, 1)
    expect(objective.evaluate(sampleQueries(1), makeAnswers(1))).toBeUndefined()
  })

  test('may export its function under any name; it is told the context', async () => {
    const module = moduleOf('export const f = (x, { sample, iteration, row }) => 1e4 * sample + 100 * iteration + row')
    const { values } = await answered(moduleObjective({ dim: 2, module, export: 'f' }), 2)
    expect(Array.from(values)).toEqual([1000700, 1010701])
  })

  test('may export a batched function', async () => {
    const module = moduleOf('export default (points, { samples }) => points.map((x, i) => 1000 * points.length + x[1])')
    const { values } = await answered(moduleObjective({ dim: 2, module, batched: true, batchSize: 2 }), 3)
    expect(Array.from(values)).toEqual([2000, 2010, 1020])
  })

  test('may export an asynchronous function, called several times at once and only for so long', async () => {
    const module = moduleOf(`let most = 0, now = 0
      export default async (x, { row }) => {
        most = Math.max(most, ++now)
        await new Promise((resolve) => setTimeout(resolve, row === 3 ? 1e6 : 20))
        now--
        return most
      }`)
    const objective = moduleObjective({ dim: 2, module, concurrency: 3, timeout: 500 })
    const { values, failed } = await answered(objective, 4)
    expect(Array.from(failed)).toEqual([0, 0, 0, 1])
    expect(values[0]).toBe(3)
  })

  test('that throws fails its row only', async () => {
    const module = moduleOf('export default (x) => { if (x[0] === 1) throw new Error("burnt"); return x[1] }')
    const { values, reasons } = await answered(moduleObjective({ dim: 2, module }), 3)
    expect(Array.from(values)).toEqual([0, Number.NaN, 20])
    expect(String(reasons[1])).toBe('Error: burnt')
  })

  test('is set up once with the data given, before its function is called', async () => {
    const module = moduleOf(`let known = []
      export const setup = async (data) => { await null; known.push(data.offset) }
      export default () => known.length + known[0]`)
    const objective = moduleObjective({ dim: 2, module, data: { offset: 0.5 } })
    await Promise.all([answered(objective, 1), answered(objective, 1)])
    expect(Array.from((await answered(objective, 2)).values)).toEqual([1.5, 1.5])
  })

  test('gives the seeded run of the plain function, bit for bit', async () => {
    const module = moduleOf(`export default (x) => {
      let sum = x[0] * x[1]
      for (let i = 0; i < x.length; i++) sum += (i + 1) * (x[i] - 0.25 * i) * (x[i] - 0.25 * i)
      return sum
    }`)
    const { default: f } = (await import(/* @vite-ignore */ module)) as { default: (x: Float64Array) => number }
    const options = { solver: zoAdaMM({ directions: 3 }), seed: 11, maxIterations: 20 }
    const plain = await minimize(f, [1, -0.5, 0.25, 2], options)
    const run = await minimize(moduleObjective({ dim: 4, module }), [1, -0.5, 0.25, 2], options)
    expect(run.history).toEqual(plain.history)
    expect(new Uint8Array(run.last.point.buffer)).toEqual(new Uint8Array(plain.last.point.buffer))
  })
})

describe('what is wrong with a module is the reason of every row', () => {
  test('a file that is not there, until it is', async () => {
    const module = join(folder, 'later.mjs')
    const objective = moduleObjective({ dim: 2, module })
    expect(String((await answered(objective, 1)).reasons[0])).toBe(`ZerothError: there is no module ${module}`)
    writeFileSync(module, sum)
    expect(Array.from((await answered(objective, 2)).values)).toEqual([0, 11])
  })

  test('an export that is not there', async () => {
    const module = moduleOf('export const f = 1, g = () => 1')
    expect((await reason({ module })).message).toBe(`${module} has no default export (exports: f, g)`)
  })

  test('an export that is no function', async () => {
    const module = moduleOf('export const f = 1')
    const { message } = await reason({ module, export: 'f' })
    expect(message).toBe(`the export f of ${module} must be a function, got 1 (exports: f)`)
  })

  test('a module that throws when it is loaded', async () => {
    const module = moduleOf('throw new Error("no disk")')
    expect((await reason({ module })).message).toBe(`${module} cannot be loaded: no disk`)
  })

  test('a module that does not parse', async () => {
    const module = moduleOf('export default (x) => {')
    expect((await reason({ module })).message).toContain(`${module} cannot be loaded: `)
  })

  test('a setup that fails', async () => {
    const module = moduleOf(`export const setup = () => { throw new Error('no weights') }; ${sum}`)
    expect((await reason({ module })).message).toBe(`setup of ${module} failed: no weights`)
  })
})

test('options that would do nothing are refused', () => {
  const module = moduleOf(sum)
  expect(() => moduleObjective({ dim: 2, module, batchSize: 3 })).toThrow(
    'module.batchSize does nothing without batched: true',
  )
  expect(() => moduleObjective({ dim: 2, module, batched: true, concurrency: 3 })).toThrow(
    'module.concurrency does nothing with batched: true',
  )
  expect(() => moduleObjective({ dim: 2, module: '' })).toThrow('module.module must not be empty')
  expect(() => moduleObjective({ dim: 2, module: 3 as never })).toThrow(/module\.module must be/)
})
