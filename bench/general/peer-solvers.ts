import { join } from 'node:path'
import { peerPython } from '../peers.ts'
import { root } from '../root.ts'
import type { Oracle } from './oracle.ts'
import { type PeerCommand, type PeerProcess, startPeerProcess } from './peer-process.ts'
import type { Problem } from './problem.ts'
import type { Ending, Solver, Task } from './solver.ts'

/** What a program says of each of its methods. */
interface Offer {
  readonly name: string
  readonly package: string
  /** Null where the package is not installed. */
  readonly version: string | null
  readonly random: boolean
  /** The most variables that it is for. */
  readonly largest: number
}

/** The peers that can be run, and why others cannot. */
export interface Peers {
  readonly solvers: readonly (Solver & { readonly title: string })[]
  readonly missing: readonly string[]
}

/** Small matrices: more threads only wait for each other. */
const oneThread = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }

/** Starts the programs with minimisers; a tool or a package that is missing is no error. */
export async function openPeers(): Promise<Peers> {
  const node = process.env.ZEROTH_PEERS_NODE ?? join(root, '.peers')
  const programs: readonly PeerCommand[] = [
    { command: peerPython(), args: [join(root, 'bench/peers/minimizers.py')], env: oneThread },
    { command: process.execPath, args: [join(root, 'bench/peers/minimizers.mjs'), node] },
  ]
  const opened = await Promise.all(programs.map(openProgram))
  return { solvers: opened.flatMap(({ solvers }) => solvers), missing: opened.flatMap(({ missing }) => missing) }
}

/** Starts one program and asks what it has. */
export async function openProgram(program: PeerCommand): Promise<Peers> {
  const line = peerLine(program)
  try {
    const offers = await line.offers()
    const there = offers.filter(({ version }) => version !== null)
    const missing = offers.filter(({ version }) => version === null)
    return {
      solvers: there.map((offer) => peerSolver(offer, line)),
      missing: missing.map((offer) => `${offer.name}: ${offer.package} is not installed`),
    }
  } catch (error) {
    return { solvers: [], missing: [`${program.args[0] ?? program.command}: ${(error as Error).message}`] }
  }
}

/** A line to a program, which is started anew after it was ended. */
function peerLine(program: PeerCommand) {
  let running: Promise<{ readonly peer: PeerProcess; readonly offers: readonly Offer[] }> | undefined
  const start = async () => {
    const peer = startPeerProcess(program)
    const first = await peer.next()
    return { peer, offers: ('said' in first ? first.said : []) as readonly Offer[] }
  }
  const open = () => {
    running ??= start()
    return running
  }
  return {
    offers: async () => (await open()).offers,
    peer: async () => (await open()).peer,
    async end() {
      const at = running
      running = undefined
      ;(await at?.catch(() => undefined))?.peer.end()
    },
  }
}

function peerSolver(offer: Offer, line: ReturnType<typeof peerLine>): Peers['solvers'][number] {
  return {
    name: offer.name,
    title: `${offer.name} (${offer.package} ${offer.version})`,
    own: false,
    random: offer.random,
    largest: offer.largest,
    async run(task, oracle) {
      const peer = await line.peer()
      try {
        peer.send(jobOf(offer.name, task))
        const ending = await converse(peer, task, oracle)
        if (ending !== undefined) return ending
        await line.end()
        return { note: 'max-time' }
      } catch (error) {
        await line.end()
        throw error
      }
    },
    close: () => void line.end(),
  }
}

/** Answers points until the program says its result; undefined if that took too long. */
async function converse(peer: PeerProcess, { timeLimit }: Task, oracle: Oracle): Promise<Ending | undefined> {
  const began = performance.now()
  for (;;) {
    const heard = await peer.next()
    if ('said' in heard) {
      const { own, note, point } = heard.said as { own: number; note: string; point: number[] | null }
      return { own, note, point: point ?? undefined }
    }
    if (performance.now() - began > timeLimit) return undefined
    peer.answer(oracle.query(heard.point))
  }
}

function jobOf(solver: string, { problem, budget, seed }: Task) {
  const { start, box, noise } = problem
  const bounds = box === undefined ? {} : { lower: Array.from(box.lower), upper: Array.from(box.upper) }
  const common = { solver, budget, seed, noisy: noise !== undefined, spread: spreadOf(problem) }
  return { ...common, start: Array.from(start), ...bounds }
}

/** The first step of methods that want one: what a user would know of these problems. */
function spreadOf({ group, start, box }: Problem): number {
  if (group.startsWith('bbob')) return 2
  if (box !== undefined) return 0.3
  const square = start.reduce((sum, v) => sum + v * v, 0) / start.length
  return 0.3 * Math.max(1, Math.sqrt(square))
}
