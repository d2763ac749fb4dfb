import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Contender, settings } from './contender.ts'
import { engineContender } from './engine.ts'
import { kernelsPage, kernelsText, type Measured, ratios } from './kernels-report.ts'
import { machineLines } from './machine.ts'
import { peakBytesPerDimension } from './memory.ts'
import { openPeer, peerNames } from './peers.ts'
import { type Pace, race } from './race.ts'
import { root } from './root.ts'

/** What the command line asked for. */
export interface KernelsOptions {
  readonly dims: readonly number[]
  readonly quick: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

/** The dimensions of the published table: 268,203 are the pixels of an ImageNet picture for Inception v3. */
export const defaultDims = [1000, 10_000, 268_203, 10_000_000]

const results = join(root, 'bench/results/kernels.md')
const say = (message: string): void => void process.stderr.write(`${message}\n`)

/** Compares the cost of an iteration without its objective with the same work elsewhere. */
export async function kernels({ dims, quick, json, save, command }: KernelsOptions): Promise<void> {
  const measured = await measure(dims, quick)
  const largest = Math.max(...dims)
  const memory = largest < smallestForMemory ? null : { dim: largest, bytes: await peakBytesPerDimension(largest) }
  process.stdout.write(`${kernelsText(measured, memory)}\n`)
  if (save) {
    mkdirSync(dirname(results), { recursive: true })
    writeFileSync(results, kernelsPage(measured, memory, machineLines(command)))
    say(`written: ${results}`)
  }
  if (json) process.stdout.write(`${JSON.stringify(ratios(measured))}\n`)
}

async function measure(dims: readonly number[], quick: boolean): Promise<Measured[]> {
  const contenders = await openContenders()
  const measured: Measured[] = []
  try {
    for (const dim of dims) {
      say(`d = ${dim} ...`)
      globalThis.gc?.()
      measured.push({ dim, timings: await race(contenders, dim, settings.directions, paceAt(dim, quick), say) })
    }
  } finally {
    for (const each of contenders) each.close()
  }
  return measured
}

async function openContenders(): Promise<Contender[]> {
  const contenders = [
    engineContender('zeroth', 'rows kept', 'kept', 'fastest'),
    engineContender('regenerate', 'zeroth, nothing kept', 'regenerated', 'fastest'),
    engineContender('scalar', 'zeroth, plain TypeScript, rows kept', 'kept', 'scalar'),
  ]
  for (const name of peerNames) {
    const opened = await openPeer(name)
    if ('contender' in opened) contenders.push(opened.contender)
    else say(`skipped ${opened.missing}`)
  }
  return contenders
}

/** Below a million dimensions the memory of a run is lost in that of Node: it is measured above only. */
const smallestForMemory = 1e6

/** Ten million dimensions take seconds per iteration in some peers: fewer rounds say enough there. */
function paceAt(dim: number, quick: boolean): Pace {
  if (dim > 1e6) return quick ? { rounds: 3, slice: 1 } : { rounds: 7, slice: 500 }
  return quick ? { rounds: 5, slice: 30 } : { rounds: 15, slice: 100 }
}
