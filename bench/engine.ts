import {
  type Answers,
  box,
  createSession,
  type Driver,
  driver,
  type Objective,
  type Queries,
  type Session,
  type Vector,
  zoAdaMM,
} from '../src/index.ts'
import { type Contender, settings, type Work } from './contender.ts'

/** Rows are either kept for the update or made again by it. */
export type Mode = 'kept' | 'regenerated'

/** WebAssembly, or plain TypeScript. */
export type KernelChoice = 'fastest' | 'scalar'

/** ZO-AdaMM as a user runs it, on an objective that costs nothing. */
export interface Engine {
  readonly session: Session
  readonly driving: Driver
}

/** What an objective answers to its queries, given room for one row or for all of them. */
type Answer = (queries: Queries, answers: Answers, room: Vector) => void

/** A session in float32 within a box, driven by an objective with room of `rows` rows in the session's own memory. */
export function openEngine(dim: number, rows: number, answer: Answer, choice: KernelChoice = 'fastest'): Engine {
  const { directions, smoothing, learningRate, lower, upper } = settings
  const session = createSession(new Float32Array(dim), {
    solver: zoAdaMM({ directions, smoothing, learningRate: { value: learningRate, decay: 'sqrt' }, feasible: false }),
    set: box({ lower, upper }),
    precision: 'float32',
    maxIterations: 1e9,
    kernels: choice,
  })
  const room = session.allocate(rows * dim)
  const objective: Objective = { dim, evaluate: (queries, answers) => answer(queries, answers, room) }
  return { session, driving: driver(session, objective) }
}

/** Writes every row where it stays until the update reads it. */
const keepRows: Answer = (queries, answers, room) => {
  for (let row = 0; row < queries.rows; row++) queries.write(row, room, row * queries.dim)
  fillValues(answers)
  answers.rowBuffer = room
}

/** Writes every row over the one before. */
export const overwriteRow: Answer = (queries, answers, room) => {
  for (let row = 0; row < queries.rows; row++) queries.write(row, room)
  fillValues(answers)
}

/** Zeroth as one of the contenders. */
export function engineContender(name: string, title: string, mode: Mode, kernels: KernelChoice): Contender {
  let engine: Engine | undefined
  let opened = 0
  const engineFor = ({ dim, directions }: Work): Engine => {
    if (engine === undefined || opened !== dim) {
      engine = undefined
      engine =
        mode === 'kept' ? openEngine(dim, directions + 1, keepRows, kernels) : openEngine(dim, 1, overwriteRow, kernels)
      opened = dim
    }
    return engine
  }
  return {
    name,
    title,
    variants: [{ label: labels[kernels], time: async (work) => timeTurns(engineFor(work), work) }],
    close() {
      engine = undefined
    },
  }
}

const labels: Readonly<Record<KernelChoice, string>> = { fastest: 'wasm', scalar: 'scalar' }

function timeTurns({ driving }: Engine, { iterations }: Work): number {
  const began = performance.now()
  for (let i = 0; i < iterations; i++) driving.turn()
  return (performance.now() - began) / iterations
}

function fillValues({ values }: Answers): void {
  for (let row = 0; row < values.length; row++) values[row] = 0.01 * Math.sin(row)
}
