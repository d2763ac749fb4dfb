import { join } from 'node:path'
import { oneThread, openLine, type PeerLine, type PeerOffer } from '../peer-line.ts'
import { type ByteProcess, jsonFrame, type PeerCommand, startProcess } from '../peer-process.ts'
import { peerPython } from '../peers.ts'
import { root } from '../root.ts'

/** A suite of COCO. */
export interface Suite {
  readonly title: string
  readonly functions: number
  /** Instances of each function. */
  readonly instances: number
  readonly dims: readonly number[]
  readonly whole?: boolean
  readonly constraints?: boolean
}

/** The suites by the names that COCO gives them. */
export const suites: Readonly<Record<string, Suite>> = {
  bbob: { title: 'BBOB', functions: 24, instances: 15, dims: [2, 3, 5, 10, 20, 40] },
  'bbob-mixint': {
    title: 'BBOB, four of five variables whole numbers',
    functions: 24,
    instances: 15,
    dims: [5, 10, 20, 40],
    whole: true,
  },
  'bbob-constrained': {
    title: 'BBOB with constraints',
    functions: 54,
    instances: 15,
    dims: [2, 3, 5, 10, 20, 40],
    constraints: true,
  },
}

/** The targets of COCO: values above the lowest one. */
export const targets = Array.from({ length: 51 }, (_, k) => 10 ** (2 - k / 5))

/** One problem of a suite; functions and instances count from 1. */
export interface ProblemKey {
  readonly suite: string
  readonly dim: number
  readonly function: number
  readonly instance: number
}

/** What a problem says of itself. */
export interface About {
  readonly lower: readonly number[]
  readonly upper: readonly number[]
  /** How many of its variables, the first ones, are whole numbers. */
  readonly whole: number
  readonly constraints: number
}

/** What became of a run, as counted beside the problem. */
export interface Account {
  readonly evaluations: number
  /** The lowest feasible value, above the lowest there is; null where nothing was feasible. */
  readonly best: number | null
  /** For each target the evaluation that first reached it. */
  readonly hits: readonly (number | null)[]
  /** Seconds that the solver took itself. */
  readonly own: number
  readonly note: string
}

/** A problem that is being asked. */
export interface OpenProblem {
  readonly about: About
  /** The value at a point, then its constraints, which hold where they are not above 0. */
  ask(x: ArrayLike<number>): Promise<readonly number[]>
  account(): Promise<Omit<Account, 'own'>>
}

/** A solver of another package. */
export interface CocoPeer extends PeerOffer {
  readonly largest: number
  readonly whole: boolean
  readonly constraints: boolean
}

/** COCO, in a process of its own. */
export interface Coco {
  readonly peers: readonly CocoPeer[]
  /** Why what is not there is not there. */
  readonly missing: readonly string[]
  open(key: ProblemKey, budget: number): Promise<OpenProblem>
  run(peer: string, key: ProblemKey, task: { readonly budget: number; readonly seed: number }): Promise<Account>
  close(): void
}

/** Starts the program with the problems; without its Python package there are none. */
export async function openCoco(): Promise<Coco> {
  const program = { command: peerPython(), args: [join(root, 'bench/peers/coco.py')], env: oneThread }
  const { offers, missing, line } = await openLine(program, start)
  if (offers.length === 0) {
    throw new Error(
      `${missing.join('; ')}: run npm run bench:setup, or let ZEROTH_PEERS_PYTHON point to a Python that has it`,
    )
  }
  return {
    peers: offers,
    missing,
    open: (key, budget) => openProblem(line, { ...key, budget }),
    async run(solver, key, { budget, seed }) {
      const process = await line.process()
      process.write(jsonFrame({ ...key, solver, budget, seed }))
      return said<Account>(process)
    },
    close: () => void line.end(),
  }
}

async function start(program: PeerCommand): Promise<{ process: ByteProcess; offers: readonly CocoPeer[] }> {
  const process = startProcess(program)
  return { process, offers: await said<readonly CocoPeer[]>(process) }
}

async function openProblem(line: PeerLine<ByteProcess>, job: object): Promise<OpenProblem> {
  const process = await line.process()
  process.write(jsonFrame(job))
  const about = await said<About>(process)
  const bytes = 8 * (1 + about.constraints)
  return {
    about,
    async ask(x) {
      const frame = Buffer.alloc(4 + 8 * x.length)
      frame.writeInt32LE(x.length)
      for (let i = 0; i < x.length; i++) frame.writeDoubleLE(x[i] as number, 4 + 8 * i)
      process.write(frame)
      const answer = await process.take(bytes)
      return Array.from({ length: bytes / 8 }, (_, i) => answer.readDoubleLE(8 * i))
    },
    async account() {
      process.write(Buffer.alloc(4))
      return said<Account>(process)
    },
  }
}

async function said<T>(process: ByteProcess): Promise<T> {
  const count = (await process.take(4)).readInt32LE(0)
  return JSON.parse((await process.take(-count)).toString()) as T
}
