import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Column, textTable } from '../../src/app/report/table.ts'
import { machineLines } from '../machine.ts'
import { root } from '../root.ts'
import { answeringCommand } from './answering.ts'
import { type Asked, type Asking, askingCommand } from './asking.ts'

/** What the command line asked for. */
interface ServerOptions {
  readonly quick: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
}

/** A client of zeroth's and the bare one that sent as many images per request, at one size of images. */
interface Measured {
  readonly side: number
  readonly method: string
  readonly zeroth: Asked
  readonly bare: Asked
}

const sides = [32, 224, 299]
const methods = ['zo-adamm', 'strongest']

/** What the default is asked for where the processor time of a query is measured, one image at a time. */
const attacks: Readonly<Record<string, Asking['attack']>> = {
  linf: { linf: 4 / 255 },
  l2: { l2: 5 },
  labels: { labelsOnly: true },
  nearest: {},
}

/** As a user would ask a server: connections, images per request at most, images under way at once. */
const setup = { connections: 4, batch: 16, parallel: 8 }

/** Images of the largest size under way at once where memory is measured. */
const crowd = 20

const results = join(root, 'bench/results/server.md')
const right = 'right'
const columns: readonly Column<Measured>[] = [
  { title: 'images', cell: ({ side }) => `3 x ${side} x ${side}` },
  { title: 'method', cell: ({ method }) => method },
  { title: 'images per request', align: right, cell: ({ zeroth }) => zeroth.imagesPerRequest.toFixed(1) },
  { title: 'bare client, images/s', align: right, cell: ({ bare }) => bare.imagesPerSecond.toFixed(0) },
  { title: 'zeroth, images/s', align: right, cell: ({ zeroth }) => zeroth.imagesPerSecond.toFixed(0) },
  { title: 'share', align: right, cell: (measured) => shareOf(measured).toFixed(2) },
  { title: 'bare, CPU ms/image', align: right, cell: ({ bare }) => bare.costPerImage.toFixed(3) },
  { title: 'zeroth, CPU ms/image', align: right, cell: ({ zeroth }) => zeroth.costPerImage.toFixed(3) },
  { title: 'zeroth, peak MB', align: right, cell: ({ zeroth }) => (zeroth.peakBytes / 1e6).toFixed(0) },
]

/**
 * Images per second of `zeroth attack` on a server that answers at once, against a client that sends ready tensors of the same
 * size, as many per request, over as many connections to the same server. Server and clients are processes of their own.
 */
export async function server(options: ServerOptions): Promise<void> {
  const pace = options.quick ? { warmUp: 2, seconds: 3, rounds: 1 } : { warmUp: 2, seconds: 6, rounds: 3 }
  const measured: Measured[] = []
  const peaks: string[] = []
  const costs: Record<string, number> = {}
  for (const side of sides) {
    const serving = spawn(process.execPath, [ownProgram(), answeringCommand, String(side)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const url = `http://127.0.0.1:${await portOf(serving)}`
      const asking = { ...setup, url, side, ...pace }
      for (const method of methods) measured.push(await compare(asking, method, pace.rounds))
      if (side === sides.at(-1)) {
        peaks.push(...(await crowded({ ...asking, parallel: crowd, seconds: 3 * pace.seconds })))
        Object.assign(costs, await costOfAttacks(asking))
      }
    } finally {
      serving.kill()
    }
  }
  const cpu = Object.entries(costs).map(([attack, milliseconds]) => `${attack} ${milliseconds.toFixed(2)} ms`)
  const last = `strongest, one image of 3 x ${sides.at(-1)} x ${sides.at(-1)} at a time, CPU per query: ${cpu.join(', ')}`
  const table = [textTable(measured, columns), '', ...peaks, last].join('\n')
  process.stdout.write(`${table}\n`)
  if (options.save) writeFileSync(results, page(table, options.command))
  if (options.json) process.stdout.write(`${JSON.stringify(summaryOf(measured, costs))}\n`)
}

/** The memory of each method with many images under way. */
async function crowded(asking: Omit<Asking, 'client'>): Promise<string[]> {
  const lines: string[] = []
  for (const client of methods) {
    const { peakBytes } = await asked({ ...asking, client })
    const { parallel, side } = asking
    lines.push(
      `${client} with ${parallel} images of 3 x ${side} x ${side} under way: peak ${(peakBytes / 1e6).toFixed(0)} MB`,
    )
  }
  return lines
}

/** Processor time of a query in milliseconds, for each attack, as the default performs it on one image at a time. */
async function costOfAttacks(asking: Omit<Asking, 'client'>): Promise<Record<string, number>> {
  const costs: Record<string, number> = {}
  for (const [name, attack] of Object.entries(attacks)) {
    const { costPerImage } = await asked({ ...asking, client: 'strongest', parallel: 1, attack })
    costs[name] = Number(costPerImage.toFixed(2))
  }
  return costs
}

/** The two by turns, round after round; of each the round in the middle. */
async function compare(asking: Omit<Asking, 'client'>, method: string, rounds: number): Promise<Measured> {
  const [zeroth, bare]: [Asked[], Asked[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const ours = await asked({ ...asking, client: method })
    zeroth.push(ours)
    bare.push(await asked({ ...asking, client: 'bare', batch: Math.max(1, Math.round(ours.imagesPerRequest)) }))
  }
  return { side: asking.side, method, zeroth: middle(zeroth), bare: middle(bare) }
}

function middle(rounds: readonly Asked[]): Asked {
  const sorted = rounds.toSorted((one, other) => one.imagesPerSecond - other.imagesPerSecond)
  return sorted[rounds.length >> 1] as Asked
}

const run = promisify(execFile)

async function asked(asking: Asking): Promise<Asked> {
  const { stdout } = await run(process.execPath, [ownProgram(), askingCommand, JSON.stringify(asking)])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Asked
}

function ownProgram(): string {
  return process.argv[1] as string
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error('the server has no output')
  const [line] = (await once(stdout, 'data')) as [Buffer]
  return Number(line.toString())
}

function shareOf({ zeroth, bare }: Measured): number {
  return zeroth.imagesPerSecond / bare.imagesPerSecond
}

/** The paper's method by the side of the images; of the largest also the cost of the default's queries. */
function summaryOf(measured: readonly Measured[], cpu: Readonly<Record<string, number>>): object {
  const own = measured.filter(({ method }) => method === methods[0])
  const numbers = (each: Measured) => ({
    ratio: Number(shareOf(each).toFixed(3)),
    zeroth: Math.round(each.zeroth.imagesPerSecond),
    bare: Math.round(each.bare.imagesPerSecond),
    ...(each.side === sides.at(-1) ? { cpu } : {}),
  })
  return Object.fromEntries(own.map((each) => [each.side, numbers(each)]))
}

function page(table: string, command: string): string {
  const { connections, batch, parallel } = setup
  const about = [
    '# A server that answers at once',
    '',
    'Images per second of a stored evaluation, as `zeroth attack` performs it, on a server that throws images away and answers with',
    `the same 1001 scores at once; ${parallel} images under way, ${connections} connections, at most ${batch} images per request. The bare client`,
    "sends one ready tensor with Node's HTTP client, as many images per request over as many connections. Server and client are",
    "processes of their own on the same machine; by turns, the median of the rounds. zo-adamm is the paper's method with q = 10.",
  ]
  return [...about, '', ...machineLines(command), '', '```text', table, '```', ''].join('\n')
}
