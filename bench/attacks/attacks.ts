import { join } from 'node:path'
import { root } from '../root.ts'
import { type Cell, cellOf, cells, cellsOfNetworks, nameOnNetwork, type Split } from './cells.ts'
import type { Contender } from './contender.ts'
import {
  chosenImages,
  type GivenNetworks,
  givenNetworks,
  type Network,
  networkSpec,
  networksByName,
  openNetwork,
} from './network.ts'
import { ours, ownMethod } from './own-methods.ts'
import { openPeers } from './peers.ts'
import { reportAttacks } from './report.ts'
import { type AttackRows, openRows, type Row } from './rows.ts'

/** What the command line asked for. */
export interface AttacksOptions extends GivenNetworks {
  readonly cells?: string | undefined
  readonly split?: string | undefined
  readonly solvers?: string | undefined
  readonly method?: string | undefined
  readonly count?: string | undefined
  readonly seeds?: string | undefined
  readonly limit?: string | undefined
  readonly rows?: string | undefined
  readonly quick: boolean
  readonly again: boolean
  readonly report: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

/** How many images, seeds and seconds. */
interface Protocol {
  readonly count: number
  readonly seeds: number
  readonly timeLimit: number
}

const usualRows = join(root, 'bench/rows/attacks')

/** The cells and the methods of a first impression, which takes about a minute. */
const quick = { cells: 'cifar10-linf,digits-nearest', solvers: `${ours},square05-torchattacks`, count: 5, seeds: 1 }

/** Runs our attack and those of others on the same images, keeps a row per run, and prints how they compare. */
export async function attacks(options: AttacksOptions): Promise<void> {
  const names = chosenCells(options)
  const store = openRows(options.rows ?? usualRows)
  if (!options.report) await measureAll(names, store, options)
  await reportAttacks(store.rows, { ...options, method: options.method ?? ours })
}

async function measureAll(names: readonly string[], store: AttackRows, options: AttacksOptions): Promise<void> {
  const protocol = protocolOf(options)
  const contenders = await openContenders(options)
  const isChosen = ({ solver, cell }: Row) => names.includes(cell) && contenders.some(({ name }) => name === solver)
  if (options.again) store.remove(isChosen)
  try {
    for (const name of names) await measureCell(name, contenders, protocol, store, givenNetworks(options))
  } finally {
    for (const contender of contenders) contender.close()
  }
}

async function measureCell(
  name: string,
  contenders: readonly Contender[],
  protocol: Protocol,
  store: AttackRows,
  given: GivenNetworks,
): Promise<void> {
  const cell = cellOf(name) as Cell
  const spec = networkSpec(cell, given)
  if ('missing' in spec) return void process.stderr.write(`${name} skipped: ${spec.missing}\n`)
  const network = await openNetwork(spec)
  try {
    for (const contender of contenders) {
      if (!contender.kinds.includes(cell.kind)) continue
      await measureContender(name, contender, network, protocol, store)
    }
  } finally {
    await network.model.close()
  }
}

async function measureContender(
  name: string,
  contender: Contender,
  network: Network,
  { count, seeds, timeLimit }: Protocol,
  store: AttackRows,
): Promise<void> {
  const cell = cellOf(name) as Cell
  const { budget } = cell
  const about = { cell: name, solver: contender.name, own: contender.own, version: contender.version, budget }
  const all = await chosenImages(network, cell, count)
  for (let seed = 1; seed <= (contender.random ? seeds : 1); seed++) {
    const images = all.filter(({ index }) => !store.has({ ...about, seed, image: index }))
    if (images.length === 0) continue
    const began = performance.now()
    await contender.run({
      cell,
      network,
      images,
      seed,
      timeLimit,
      done: (image, { seconds, ...ending }) =>
        store.add({ ...about, seed, image, ...ending, seconds: Number(seconds.toFixed(3)) }),
    })
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    process.stderr.write(`${name} ${contender.name}, seed ${seed}: ${images.length} images in ${seconds} s\n`)
  }
}

function chosenCells(options: AttacksOptions): string[] {
  const networks = [...networksByName(givenNetworks(options)).keys()]
  const { cells: given, quick: isQuick } = options
  const known = networks.length > 0 ? cellsOfNetworks : cells
  const usual = Object.keys(known).filter((name) => cells[name]?.onDemand !== true)
  const names = (given ?? (isQuick && networks.length === 0 ? quick.cells : undefined))?.split(',') ?? usual
  const unknown = names.find((name) => known[name] === undefined)
  if (unknown !== undefined) {
    throw new Error(`--cells: there is no cell ${unknown}; there are ${Object.keys(known).join(', ')}`)
  }
  const split = splitOf(options)
  return networks.length === 0
    ? names
    : networks.flatMap((network) => names.map((name) => nameOnNetwork(network, name, split)))
}

function splitOf({ split }: AttacksOptions): Split | undefined {
  if (split === undefined || split === 'tuning' || split === 'judging') return split
  throw new Error(`--split must be tuning or judging, got ${split}`)
}

function protocolOf({ count, seeds, limit, quick: isQuick }: AttacksOptions): Protocol {
  return {
    count: wholeNumber('--count', count, isQuick ? quick.count : 50),
    seeds: wholeNumber('--seeds', seeds, isQuick ? quick.seeds : 3),
    timeLimit: 1000 * wholeNumber('--limit', limit, 600),
  }
}

function wholeNumber(flag: string, given: string | undefined, usual: number): number {
  const value = given === undefined ? usual : Number(given)
  if (Number.isInteger(value) && value >= 1) return value
  throw new Error(`${flag} must be a whole number of at least 1, got ${given}`)
}

/** The methods and peers by name; without names, what `zeroth attack` does and all peers that are there. */
async function openContenders({ solvers, quick: isQuick }: AttacksOptions): Promise<Contender[]> {
  const named = solvers?.split(',')
  const names = named ?? (isQuick ? quick.solvers.split(',') : undefined)
  const own = (names ?? [ours]).flatMap((name) => ownMethod(name) ?? [])
  if (names !== undefined && own.length === names.length) return own
  const { contenders, missing } = await openPeers()
  const peers = contenders.filter(({ name }) => names?.includes(name) ?? true)
  for (const line of missing) process.stderr.write(`${line}\n`)
  const found = [...own, ...peers]
  const nowhere = named?.find((name) => !found.some((each) => each.name === name))
  if (nowhere === undefined) return found
  for (const contender of contenders) contender.close()
  const there = contenders.map(({ name }) => name).join(', ') || 'none'
  throw new Error(`--solvers: there is no ${nowhere}; the peers here are ${there} (npm run bench:setup installs them)`)
}
