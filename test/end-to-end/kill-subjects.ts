import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { boxes } from '../black-boxes/boxes.mjs'
import { startServer } from '../servers/server.ts'
import { linesIn, marksIn, maxQueries, type Subject } from './kill-points.ts'

/** The ways in which a problem can be asked; the last with the default solver, the others with `zo-adamm`. */
export const objectiveKinds = ['problem', 'module', 'workers', 'exec', 'http', 'auto'] as const

/** One problem, asked in every way there is; close them in the end. */
export interface Subjects {
  readonly kinds: Readonly<Record<(typeof objectiveKinds)[number], Subject>>
  close(): Promise<void>
}

const boxFile = fileURLToPath(new URL('../black-boxes/boxes.mjs', import.meta.url))
const dim = 4
const solver = { name: 'zo-adamm', directions: 4, learningRate: { value: 0.05, decay: 'sqrt' } }

/** The bowl, slowed down so that there is time to kill whoever asks; leaves a mark for every query. */
const slowBowl = (marks: string): string => `
  import { appendFileSync } from 'node:fs'
  import { bowl } from ${JSON.stringify(boxFile)}
  const pause = new Int32Array(new SharedArrayBuffer(4))
  export default (x) => {
    appendFileSync(${JSON.stringify(marks)}, '.')
    Atomics.wait(pause, 0, 0, 1)
    return bowl(x)
  }`

const programOf = (module: string): string => `
  import { createInterface } from 'node:readline'
  import f from ${JSON.stringify(module)}
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, x } = JSON.parse(line)
    console.log(JSON.stringify({ id, value: f(x) }))
  }`

/** Makes all kinds of objectives: a test problem, a module, threads, a program and a service. */
export async function makeSubjects(): Promise<Subjects> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-kill-'))
  let requests = 0
  const server = await startServer(async ({ body }, reply) => {
    requests++
    await new Promise((resolve) => setTimeout(resolve, 1))
    reply.end(JSON.stringify({ value: boxes.bowl?.(JSON.parse(body.toString()).x) }))
  })
  const marked = (kind: string, objective: (module: string) => object, by: object = { solver }): Subject => {
    const place = join(folder, kind)
    const [marks, module] = [join(place, 'marks'), join(place, 'f.mjs')]
    mkdirSync(place)
    writeFileSync(module, slowBowl(marks))
    writeFileSync(join(place, 'program.mjs'), programOf(module))
    return {
      folder: place,
      spec: { objective: objective(module), dim, start: 1, ...by, maxQueries },
      asked: () => marksIn(marks),
      progress: () => marksIn(marks),
      reset: () => rmSync(marks, { force: true }),
    }
  }
  const kinds = {
    // Fast, so that it needs more of everything; its log counts what it was asked.
    problem: {
      folder: join(folder, 'problem'),
      spec: { objective: 'rosenbrock', dim, solver, maxQueries: 40 * maxQueries, log: true },
      asked: (run: string) => linesIn(join(run, 'calls.jsonl')),
      progress: (run: string) => marksIn(join(run, 'calls.jsonl')),
      reset: () => undefined,
    },
    module: marked('module', (module) => ({ name: 'module', module })),
    workers: marked('workers', (module) => ({ name: 'workers', module, workers: 2 })),
    exec: marked('exec', () => ({ name: 'exec', command: [process.execPath, 'program.mjs'] })),
    http: {
      folder: join(folder, 'http'),
      spec: { objective: { name: 'http', url: server.url }, dim, start: 1, solver, maxQueries },
      asked: () => requests,
      progress: () => requests,
      reset: () => {
        requests = 0
      },
    },
    auto: marked('auto', (module) => ({ name: 'module', module }), {}),
  }
  const close = async (): Promise<void> => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { kinds, close }
}
