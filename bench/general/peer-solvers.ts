import { join } from 'node:path'
import { oneThread, openLine, type PeerLine, type PeerOffer } from '../peer-line.ts'
import { type PeerCommand, type PeerProcess, startPeerProcess } from '../peer-process.ts'
import { peerPython } from '../peers.ts'
import { root } from '../root.ts'
import type { Oracle } from './oracle.ts'
import type { Problem } from './problem.ts'
import type { Ending, Solver, Task } from './solver.ts'

/** What a program says of each of its methods. */
interface Offer extends PeerOffer {
  readonly random: boolean
  /** The most variables that it is for. */
  readonly largest: number
}

/** The peers that can be run, and why others cannot. */
export interface Peers {
  readonly solvers: readonly (Solver & { readonly title: string })[]
  readonly missing: readonly string[]
}

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
  const { offers, missing, line } = await openLine(program, start)
  return { solvers: offers.map((offer) => peerSolver(offer, line)), missing }
}

async function start(program: PeerCommand): Promise<{ process: PeerProcess; offers: readonly Offer[] }> {
  const process = startPeerProcess(program)
  const first = await process.next()
  return { process, offers: ('said' in first ? first.said : []) as readonly Offer[] }
}

function peerSolver(offer: Offer, line: PeerLine<PeerProcess>): Peers['solvers'][number] {
  return {
    name: offer.name,
    title: `${offer.name} (${offer.package} ${offer.version})`,
    own: false,
    random: offer.random,
    largest: offer.largest,
    async run(task, oracle) {
      const peer = await line.process()
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
