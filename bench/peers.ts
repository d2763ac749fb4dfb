import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Contender } from './contender.ts'
import { type Peer, startPeer } from './peer.ts'
import { root } from './root.ts'

const run = promisify(execFile)
const sources = join(root, 'bench/peers')
const built = join(root, '.peers/native')

/**
 * NumPy hands inner products to OpenBLAS, whose threads wait for each other by spinning: with a busy core one norm takes
 * 8 ms instead of 0.02. One thread was no slower in any run.
 */
const oneBlasThread = { OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }

/** A contender outside of JavaScript, or why it is not there. */
type Opened = { readonly contender: Contender } | { readonly missing: string }

/** The peers by name, and what each needs. */
const openers: Readonly<Record<string, () => Promise<readonly Peer[]>>> = {
  numpy: () => python('numpy_peer.py', oneBlasThread),
  torch: () => python('torch_peer.py'),
  c128: () => native([['-msse4.1', '-ffp-contract=off', '-DW=4']]),
  native: () => native([4, 8, 16].map((lanes) => ['-march=native', `-DW=${lanes}`])),
}

/** The names of all peers. */
export const peerNames = Object.keys(openers)

/** The Python that has the peers. */
export function peerPython(): string {
  const local = join(root, '.peers/bin/python')
  return process.env.ZEROTH_PEERS_PYTHON ?? (existsSync(local) ? local : 'python3')
}

/** Starts one peer; a tool that is missing is no error. */
export async function openPeer(name: string): Promise<Opened> {
  try {
    const peers = await (openers[name] as () => Promise<readonly Peer[]>)()
    return { contender: together(name, peers) }
  } catch (error) {
    return { missing: `${name}: ${firstLines(String((error as Error).message))}` }
  }
}

/** Several processes that do the same work count as the variants of one contender. */
function together(name: string, peers: readonly Peer[]): Contender {
  const variants = peers.flatMap((each) => each.variants)
  return { name, title: peers[0]?.title ?? name, variants, close: () => peers.forEach((each) => each.close()) }
}

async function python(file: string, environment: Readonly<Record<string, string>> = {}): Promise<readonly Peer[]> {
  const command = peerPython()
  try {
    return [await startPeer(command, [join(sources, file)], environment)]
  } catch (error) {
    const advice = 'run npm run bench:setup, or let ZEROTH_PEERS_PYTHON point to a Python that has it'
    throw new Error(`${command}: ${(error as Error).message}; ${advice}`)
  }
}

/** The C++ peer once for each set of flags; widths that this machine does not have are left out. */
async function native(builds: readonly (readonly string[])[]): Promise<readonly Peer[]> {
  const peers: Peer[] = []
  const failures: unknown[] = []
  for (const flags of builds) {
    try {
      peers.push(await startPeer(await compile(flags), []))
    } catch (error) {
      failures.push(error)
    }
  }
  if (peers.length === 0) throw failures[0]
  return peers
}

async function compile(flags: readonly string[]): Promise<string> {
  mkdirSync(built, { recursive: true })
  const compiler = process.env.CXX ?? 'g++'
  const program = join(built, `kernels${flags.join('')}`)
  await run(compiler, ['-O3', ...flags, join(sources, 'kernels.cpp'), '-o', program])
  return program
}

/** Compilers complain at length; the beginning tells enough. */
function firstLines(message: string): string {
  return message.trim().split('\n').slice(0, 2).join(' ').slice(0, 400)
}
