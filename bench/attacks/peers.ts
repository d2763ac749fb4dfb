import { join } from 'node:path'
import type { ScreenedImage } from '../../src/robustness/index.ts'
import { oneThread, openLine, type PeerLine, type PeerOffer } from '../peer-line.ts'
import { type ByteProcess, jsonFrame, type PeerCommand, startProcess } from '../peer-process.ts'
import { peerPython } from '../peers.ts'
import { root } from '../root.ts'
import { type CellKind, endsAtSuccess, limitsOf } from './cells.ts'
import type { Contender, Ending, Round } from './contender.ts'
import { scoresOf } from './network.ts'
import { openTracker, type Tracker } from './tracker.ts'

/** What the program says of each of its methods. */
interface Offer extends PeerOffer {
  readonly kinds: readonly CellKind[]
}

/** The peers that can be run, and why others cannot. */
export interface Peers {
  readonly contenders: readonly Contender[]
  readonly missing: readonly string[]
}

/** The reference that reads gradients: what the nearest success of a query-only attack is compared with. */
export const whiteBox = 'white-box'

const usual: PeerCommand = {
  command: peerPython(),
  args: [join(root, 'bench/peers/attacks.py')],
  env: { ...oneThread, CUDA_VISIBLE_DEVICES: '' },
}

/** Starts the program with the attacks of other packages and asks what it has; one that does not start is no error. */
export async function openPeers(program: PeerCommand = usual): Promise<Peers> {
  const { offers, missing, line } = await openLine(program, start)
  return { contenders: offers.map((offer) => peer(offer, line)), missing }
}

async function start(program: PeerCommand): Promise<{ process: ByteProcess; offers: readonly Offer[] }> {
  const process = startProcess(program)
  return { process, offers: (await said(process)) as readonly Offer[] }
}

type Line = PeerLine<ByteProcess>

function peer(offer: Offer, line: Line): Contender {
  return {
    name: offer.name,
    own: false,
    version: `${offer.package} ${offer.version}`,
    kinds: offer.kinds,
    random: offer.name !== whiteBox,
    async run(round) {
      for (const image of round.images) round.done(image.index, await attackOne(offer.name, image, round, line))
    },
    close: () => void line.end(),
  }
}

async function attackOne(solver: string, image: ScreenedImage, round: Round, line: Line): Promise<Ending> {
  const { pixels } = await round.network.dataset.read(image.index)
  const goal = { pixels, label: image.label ?? 0, target: image.target ?? undefined, ...limitsOf(round.cell) }
  const tracker = openTracker(goal, round.cell.budget)
  const began = performance.now()
  const note = await converse(solver, image, round, tracker, line).catch(async (error: unknown) => {
    await line.end()
    return `failed: ${(error as Error).message}`
  })
  return { ...tracker.account(), seconds: (performance.now() - began) / 1000, note: note.slice(0, 200) }
}

/** Answers rows until the program says how it ended; a program that takes too long is ended. */
async function converse(
  solver: string,
  image: ScreenedImage,
  round: Round,
  tracker: Tracker,
  line: Line,
): Promise<string> {
  const process = await line.process()
  const began = performance.now()
  for (const frame of await jobFrames(solver, image, round)) process.write(frame)
  for (;;) {
    const count = (await process.take(4)).readInt32LE(0)
    if (count < 0) return ((await json(process, -count)) as { note: string }).note
    const answer = await answerRows(await process.take(4 * count * dimOf(round)), count, round, tracker)
    if (performance.now() - began > round.timeLimit) throw new Error(`more than ${round.timeLimit / 1000} s`)
    process.write(answer)
  }
}

/** The scores of some rows behind their count; a count of 0 where the budget or the cell says that the run is over. */
async function answerRows(bytes: Buffer, count: number, round: Round, tracker: Tracker): Promise<Buffer> {
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
  const rows = Math.min(count, tracker.room)
  const over = int32(0)
  if (rows === 0) return over
  const pixels = all.subarray(0, rows * dimOf(round))
  const scores = await scoresOf(round.network.model, pixels, rows)
  tracker.record(pixels, scores, rows)
  if (rows < count || (endsAtSuccess(round.cell) && tracker.succeeded)) return over
  return Buffer.concat([int32(rows), Buffer.from(scores.buffer)])
}

async function jobFrames(solver: string, image: ScreenedImage, round: Round): Promise<Buffer[]> {
  const { cell, network, seed } = round
  const { shape, classes, preprocessing } = network.model
  const { pixels } = await network.dataset.read(image.index)
  const start = image.target === null ? undefined : await imageOfClass(image.target, round)
  const job = {
    solver,
    seed: 1000 * seed + image.index,
    budget: cell.budget,
    ...(cell.limit === undefined ? {} : { norm: cell.kind, limit: cell.limit }),
    label: image.label,
    ...(image.target === null ? {} : { target: image.target }),
    classes,
    shape: [shape.channels, shape.height, shape.width],
    network: network.file,
    preprocessing,
    hasStart: start !== undefined,
  }
  return [jsonFrame(job), bytesOf(pixels), ...(start === undefined ? [] : [bytesOf(start)])]
}

/** The first image that the network takes for a class: what attacks that read nothing but classes are given. */
async function imageOfClass(wanted: number, { network }: Round): Promise<Float32Array | undefined> {
  const { model, dataset } = network
  for (let index = 0; index < dataset.count; index++) {
    if (dataset.label(index) !== wanted) continue
    const { pixels } = await dataset.read(index)
    const scores = await scoresOf(model, pixels, 1)
    if (scores.indexOf(Math.max(...scores)) === wanted) return pixels
  }
  return undefined
}

function dimOf({ network }: Round): number {
  const { channels, height, width } = network.model.shape
  return channels * height * width
}

async function said(process: ByteProcess): Promise<unknown> {
  return json(process, -(await process.take(4)).readInt32LE(0))
}

async function json(process: ByteProcess, length: number): Promise<unknown> {
  return JSON.parse((await process.take(length)).toString())
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

function bytesOf(pixels: Float32Array): Buffer {
  return Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength)
}
