import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Answers, minimize, type Objective, type Queries, zoAdaMM } from 'zeroth'
import { moduleObjective, workersObjective } from 'zeroth/objectives'
import { sampleQueries } from '../objectives/sample-queries.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-workers-'))
const open: Objective[] = []
afterAll(async () => {
  await Promise.all(open.map((objective) => objective.close?.()))
  rmSync(folder, { recursive: true })
})

let files = 0

function moduleOf(text: string, extension = 'mjs'): string {
  const file = join(folder, `module-${files++}.${extension}`)
  writeFileSync(file, text)
  return file
}

type Options = Omit<Parameters<typeof workersObjective>[0], 'dim'> & { readonly dim?: number }

/** An objective that is closed after all tests: some of them run at the same time. */
function workers(options: Options): Objective {
  const objective = workersObjective({ dim: 2, ...options })
  open.push(objective)
  return objective
}

const queries = (rows: number): Queries =>
  sampleQueries(rows, { sample: (row) => 4_294_967_000 + row, original: (row) => 50 + row })

async function answered(objective: Objective, rows: number, signal?: AbortSignal): Promise<Answers> {
  const answers = {
    values: new Float64Array(rows).fill(Number.NaN),
    failed: new Uint8Array(rows),
    reasons: new Array<unknown>(rows).fill(undefined),
  }
  await objective.evaluate(queries(rows), answers, signal)
  return answers
}

/** Its value is the thread it ran in; each waits until so many have begun. */
const meetingOf = (threads: number): string => {
  const place = JSON.stringify(mkdtempSync(join(folder, 'meeting-')))
  return moduleOf(`import { readdirSync, writeFileSync } from 'node:fs'
    import { threadId } from 'node:worker_threads'
    export default async () => {
      writeFileSync(${place} + '/' + threadId, '')
      while (readdirSync(${place}).length < ${threads}) await new Promise((resolve) => setTimeout(resolve, 10))
      return threadId
    }`)
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const bowlText = `export default (x) => {
  let sum = x[0] * x[1]
  for (let i = 0; i < x.length; i++) sum += (i + 1) * (x[i] - 0.25 * i) * (x[i] - 0.25 * i)
  return sum
}`

describe.concurrent('a function in worker threads', () => {
  test('is told the point, the sample, the iteration and the row', async () => {
    const module = moduleOf(`export const f = (x, { sample, iteration, row, signal }) =>
      JSON.stringify([...x, sample, iteration, row, typeof signal])`)
    const { reasons } = await answered(workers({ module, export: 'f', workers: 2 }), 3)
    expect(String(reasons[2])).toContain('the objective returned "[2,20,4294967002,7,52,\\"undefined\\"]"')
  })

  test.each([1, 3])('runs in %i of them at once', async (threads) => {
    const { values } = await answered(workers({ module: meetingOf(threads), workers: threads }), 6)
    expect(new Set(values).size).toBe(threads)
    expect(values).not.toContain(0)
  })

  test('runs in one thread less than there are cores, unless told otherwise', async () => {
    const threads = Math.max(1, availableParallelism() - 1)
    const { values } = await answered(workers({ module: meetingOf(threads) }), 2 * availableParallelism())
    expect(new Set(values).size).toBe(threads)
  })

  test('keeps its rows in place, also where evaluations overlap or grow', async () => {
    const objective = workers({ module: moduleOf('export default async (x) => x[0] + x[1]'), workers: 3 })
    const sums = (rows: number) => Array.from({ length: rows }, (_, row) => 11 * row)
    expect(Array.from((await answered(objective, 2)).values)).toEqual(sums(2))
    const both = await Promise.all([answered(objective, 40), answered(objective, 9)])
    expect(both.map(({ values }) => Array.from(values))).toEqual([sums(40), sums(9)])
    expect(Array.from((await answered(objective, 3)).values)).toEqual(sums(3))
  })

  test('may take points in batches, the same ones for any number of threads', async () => {
    const module = moduleOf('export default (points, { samples }) => points.map((x, i) => 100 * points.length + x[0])')
    for (const threads of [1, 3]) {
      const { values } = await answered(workers({ module, batched: true, batchSize: 3, workers: threads }), 7)
      expect(Array.from(values)).toEqual([300, 301, 302, 303, 304, 305, 106])
    }
  })

  test('is set up in each thread with the data given', async () => {
    const module = moduleOf(`let known
      export const setup = async (data) => { known = data }
      export default () => known.list[1]`)
    const { values } = await answered(workers({ module, workers: 2, data: { list: [1, 2.5] } }), 4)
    expect(Array.from(values)).toEqual([2.5, 2.5, 2.5, 2.5])
  })

  test.each([1, 2, 4])('in %i of them gives the seeded run of the plain function, bit for bit', async (threads) => {
    const module = moduleOf(bowlText)
    const { default: f } = (await import(/* @vite-ignore */ module)) as { default: (x: Float64Array) => number }
    const start = [1, -0.5, 0.25, 2]
    const options = { solver: zoAdaMM({ directions: 3 }), seed: 11, maxIterations: 20 }
    const plain = await minimize(f, start, options)
    const run = await minimize(workers({ module, workers: threads, dim: 4 }), start, options)
    expect(run.queries).toBe(plain.queries)
    expect(run.history).toEqual(plain.history)
    expect(new Uint8Array(run.last.point.buffer)).toEqual(new Uint8Array(plain.last.point.buffer))
  })
})

describe.concurrent('a function in a worker thread that', () => {
  test.each([
    ['throws', 'throw new Error("burnt")', 'burnt'],
    ['rejects', 'return Promise.reject(new Error("burnt"))', 'burnt'],
    ['returns no number', 'return "one"', 'the objective returned "one" instead of a number'],
    // The rows beside it must answer in this time, on a busy machine, too.
    ['never settles', 'return new Promise(() => undefined)', 'did not answer within 5000 ms', 5000],
    ['never returns', 'for (;;);', 'did not answer within 5000 ms', 5000],
    ['ends its thread', 'process.exit(7)', 'ended its thread with exit code 7'],
    ['ends its thread without a code', 'process.exit()', 'ended its thread with exit code 0'],
    [
      'throws where nobody catches',
      'setTimeout(() => { throw new Error("stray") }); return new Promise(() => 0)',
      'stray',
    ],
  ])('%s fails its row only', async (_, misbehave, reason, timeout = undefined as number | undefined) => {
    const module = moduleOf(`export default (x) => { if (x[0] === 2) { ${misbehave} } return x[1] }`)
    const objective = workers({ module, workers: 2, timeout })
    for (let time = 0; time < (timeout === undefined ? 2 : 1); time++) {
      const { values, failed, reasons } = await answered(objective, 5)
      expect(String(reasons[2])).toContain(reason)
      expect(Array.from(failed)).toEqual([0, 0, 1, 0, 0])
      expect(Array.from(values)).toEqual([0, 10, Number.NaN, 30, 40])
    }
  })

  test('throws says which module it is and where it was', async () => {
    const module = moduleOf('export default function loss() { throw new RangeError("burnt") }')
    const { reasons } = await answered(workers({ module, workers: 1 }), 1)
    const { message, cause } = reasons[0] as Error
    expect(message).toBe(`workers: ${module}: threw: burnt`)
    expect((cause as Error).stack).toMatch(/^RangeError: burnt\n\s+at (Module\.)?loss /)
  })

  test('hangs loses its thread: nothing goes on behind our back', async () => {
    const beats = join(folder, 'beats')
    const module = moduleOf(`import { appendFileSync } from 'node:fs'
      export default () => { for (;;) appendFileSync(${JSON.stringify(beats)}, '.') }`)
    await answered(workers({ module, workers: 1, timeout: 2000 }), 1)
    await wait(200)
    const { size } = statSync(beats)
    await wait(200)
    expect(size).toBeGreaterThan(0)
    expect(statSync(beats).size).toBe(size)
  })

  test('is slow to load or to set up is given the time for it', async () => {
    const pause = 'await new Promise((resolve) => setTimeout(resolve, 1600))'
    const module = moduleOf(`${pause}; export const setup = async () => { ${pause} }; export default (x) => x[0]`)
    const { values } = await answered(workers({ module, workers: 2, timeout: 3000 }), 4)
    expect(Array.from(values)).toEqual([0, 1, 2, 3])
  })

  test('is never loaded fails its rows', async () => {
    const module = moduleOf('await new Promise((resolve) => setTimeout(resolve, 1e6)); export default () => 1')
    const { reasons } = await answered(workers({ module, workers: 1, setupTimeout: 300 }), 1)
    expect(String(reasons[0])).toContain(`${module} was not loaded and set up within 300 ms`)
  })

  test('is not there fails every row, and says so', async () => {
    const module = moduleOf('export const f = 1')
    const { reasons } = await answered(workers({ module, workers: 2 }), 3)
    for (const reason of reasons) {
      expect(reason).toMatchObject({ code: 'invalid-objective', retryable: false })
      expect(String(reason)).toContain(`${module} has no default export (exports: f)`)
    }
  })

  test('is written in TypeScript fails every row where Node cannot load it', async () => {
    const module = moduleOf('export default (x: number[]): number => x.length', 'ts')
    for (const objective of [workers({ module, workers: 1 }), moduleObjective({ dim: 2, module })]) {
      const { values, reasons } = await answered(objective, 1)
      if (values[0] !== 2) expect(String(reasons[0])).toContain('does not load TypeScript; give the compiled .js file')
    }
  })
})

test('an abort ends the threads at once; the next evaluation starts others', async () => {
  const flag = join(folder, 'hang')
  const module = moduleOf(`import { existsSync } from 'node:fs'
    export default (x) => { while (existsSync(${JSON.stringify(flag)})); return x[1] }`)
  const objective = workers({ module, workers: 2 })
  const stop = new AbortController()
  writeFileSync(flag, '')
  const work = answered(objective, 4, stop.signal)
  await wait(300)
  stop.abort()
  expect(Array.from((await work).failed)).toEqual([1, 1, 1, 1])
  rmSync(flag)
  expect(Array.from((await answered(objective, 2, stop.signal)).failed)).toEqual([1, 1])
  expect(Array.from((await answered(objective, 3)).values)).toEqual([0, 10, 20])
})

test('close ends the threads, may be called twice, and what comes after starts others', async () => {
  const module = moduleOf("import { threadId } from 'node:worker_threads'; export default () => threadId")
  const objective = workers({ module, workers: 1 })
  await objective.close?.()
  const [first] = (await answered(objective, 2)).values
  await objective.close?.()
  await objective.close?.()
  const [second] = (await answered(objective, 2)).values
  expect(second).toBeGreaterThan(first as number)
})

test('close fails what is still under way', async () => {
  const objective = workers({ module: moduleOf('export default () => { for (;;); }'), workers: 1 })
  const work = answered(objective, 3)
  await wait(200)
  await objective.close?.()
  const { failed, reasons } = await work
  expect(Array.from(failed)).toEqual([1, 1, 1])
  expect(String(reasons[0])).toContain('was stopped: the objective was closed')
  for (const reason of reasons) expect(reason).toMatchObject({ code: 'query-failed', retryable: false })
})

test('a size of batches is refused where there are none', () => {
  expect(() => workers({ module: moduleOf(bowlText), batchSize: 3 })).toThrow(
    'workers.batchSize does nothing without batched: true',
  )
})

test('idle threads do not keep a program alive, and neither do closed ones', async () => {
  const module = moduleOf('export default (x) => x[0]')
  for (const ending of ['', 'await objective.close()']) {
    const script = `
      import { minimize } from 'zeroth'
      import { workersObjective } from 'zeroth/objectives'
      const objective = workersObjective({ dim: 2, module: ${JSON.stringify(module)}, workers: 2 })
      const { queries } = await minimize(objective, [1, 1], { maxQueries: 20 })
      console.log(queries)
      ${ending}`
    expect(await run(script)).toMatch(/^\d+\n$/)
    expect(await run(script, '--expose-gc')).toMatch(/^\d+\n$/)
  }
})

test('the example of docs/workers.md runs as it stands', async () => {
  const page = readFileSync(new URL('../../docs/workers.md', import.meta.url), 'utf8')
  const [module = '', script = ''] = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map((match) => match[1] as string)
  const named = script.replace("'./objective.mjs'", JSON.stringify(moduleOf(module)))
  expect(named).not.toBe(script)
  expect(await run(`${named}; console.log(result.value < 3)`)).toBe('true\n')
})

/** What a program prints that ends by itself: one that does not is ended with the test. */
function run(script: string, ...flags: string[]): Promise<string> {
  const args = [...flags, '--input-type=module', '-e', script]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: 500_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${stdout}\n${stderr}`, { cause: error }))
    })
  })
}
