import { type Column, textTable } from '../src/app/report/table.ts'
import type { Answers, Queries, Vector } from '../src/index.ts'
import { type Engine, openEngine } from './engine.ts'
import { median } from './race.ts'

/** What the engine costs at one dimension. */
interface Overhead {
  readonly dim: number
  /** Per query, outside the objective, in microseconds. */
  readonly microseconds: number
  /** Allocated on the heap per iteration, and left there after a collection, in bytes. */
  readonly allocated: number
  readonly retained: number
}

const dims = [10, 1000, 268_203]
const columns: readonly Column<Overhead>[] = [
  { title: 'd', align: 'right', cell: ({ dim }) => String(dim) },
  { title: 'us per query', align: 'right', cell: ({ microseconds }) => microseconds.toFixed(3) },
  { title: 'bytes allocated per iteration', align: 'right', cell: ({ allocated }) => allocated.toFixed(0) },
  { title: 'bytes retained per iteration', align: 'right', cell: ({ retained }) => retained.toFixed(2) },
]

/** What a run costs beside its objective: time per query, and garbage per iteration. */
export function overhead(quick: boolean): string {
  const rounds = quick ? 5 : 15
  return textTable(
    dims.map((dim) => measure(dim, rounds)),
    columns,
  )
}

function measure(dim: number, rounds: number): Overhead {
  const engine = openEngine(dim, 1, answerSums)
  const iterations = Math.max(40, Math.min(5000, Math.round(1e8 / (11 * dim + 2000))))
  turns(engine, 2 * iterations)
  const times: number[] = []
  const allocations: number[] = []
  const { rows } = engine.session.ask()
  collectGarbage()
  const first = process.memoryUsage().heapUsed
  for (let round = 0; round < rounds; round++) {
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    const began = performance.now()
    turns(engine, iterations)
    const took = performance.now() - began
    allocations.push((process.memoryUsage().heapUsed - before) / iterations)
    times.push((1000 * took) / (rows * iterations) - objectiveCost(dim))
  }
  collectGarbage()
  const retained = (process.memoryUsage().heapUsed - first) / (rounds * iterations)
  return { dim, microseconds: median(times), allocated: median(allocations), retained }
}

function turns({ driving }: Engine, iterations: number): void {
  for (let i = 0; i < iterations; i++) driving.turn()
}

/** Values that need a row to be there and cost next to nothing. */
function answerSums(queries: Queries, answers: Answers, room: Vector): void {
  for (let row = 0; row < queries.rows; row++) {
    queries.write(row, room)
    answers.values[row] = sumOfEight(room)
  }
}

function sumOfEight(x: Vector): number {
  let sum = 0
  for (let i = 0; i < 8; i++) sum += x[i] as number
  return sum
}

/** Microseconds of the objective alone. */
function objectiveCost(dim: number): number {
  const x = new Float32Array(dim)
  const calls = 10_000
  let sum = 0
  const began = performance.now()
  for (let i = 0; i < calls; i++) {
    x[0] = i
    sum += sumOfEight(x)
  }
  const took = performance.now() - began
  return sum === -1 ? 0 : (1000 * took) / calls
}

function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc, as npm run bench does')
  globalThis.gc()
}
