import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { type Column, textTable } from '../src/app/report/table.ts'
import { box, createSession, driver, zoAdaMM } from '../src/index.ts'
import { classifierObjective, type Model, onnxModel } from '../src/robustness/models/index.ts'
import { mobileNetwork } from '../test/networks/mobile-network.ts'
import { tinyNetwork } from '../test/networks/tiny-network.ts'
import type { Contender, Work } from './contender.ts'
import { machineLines } from './machine.ts'
import { median, type Pace, race, ratio, type Timing } from './race.ts'
import { root } from './root.ts'

/** A network to measure: its bytes, and how its pixels are scaled on the way. */
interface Subject {
  readonly name: 'tiny' | 'large'
  readonly bytes: Uint8Array
  readonly title: string
}

/** What the command line asked for. */
interface ModelsOptions {
  readonly quick: boolean
  readonly json: boolean
  readonly save: boolean
  readonly command: string
  /** ONNX files to measure instead of the generated networks. */
  readonly tiny?: string | undefined
  readonly large?: string | undefined
}

interface Measured {
  readonly title: string
  readonly bare: Timing
  readonly through: Timing
}

/** One query at the point itself and ten around it: an iteration of the paper's method. */
const rows = 11

const results = join(root, 'bench/results/models.md')
const columns: readonly Column<Measured>[] = [
  { title: 'network', cell: ({ title }) => title },
  { title: 'onnxruntime alone, images/s', align: 'right', cell: ({ bare }) => perSecond(bare) },
  { title: 'through zeroth, images/s', align: 'right', cell: ({ through }) => perSecond(through) },
  { title: 'kept', align: 'right', cell: ({ bare, through }) => ratio(bare, through).toFixed(3) },
]

/**
 * Images per second of a bare onnxruntime loop on one fixed tensor, and of whole iterations of ZO-AdaMM through zeroth:
 * directions drawn, rows written into the tensor, pixels normalised, losses taken, a step made. By turns, one thread.
 */
export async function models(options: ModelsOptions): Promise<void> {
  const pace: Pace = options.quick ? { rounds: 5, slice: 300 } : { rounds: 15, slice: 1000 }
  const tiny = await measure(await subject('tiny', options.tiny, tinyNetwork), pace)
  const large = await measure(await subject('large', options.large, mobileNetwork), pace)
  process.stdout.write(`${textTable([tiny, large], columns)}\n`)
  if (options.save) writeFileSync(results, page([tiny, large], options.command))
  if (!options.json) return
  const kept = ({ bare, through }: Measured): number => Number(ratio(bare, through).toFixed(3))
  process.stdout.write(`${JSON.stringify({ tiny: kept(tiny), large: kept(large) })}\n`)
}

function page(measured: readonly Measured[], command: string): string {
  const about = [
    '# Models',
    '',
    `Images per second in batches of ${rows} on one thread, contenders by turns: onnxruntime alone on one fixed tensor, and whole`,
    'iterations of ZO-AdaMM through zeroth, pixels normalised on the way. The last column is the median over rounds.',
  ]
  return [...about, '', ...machineLines(command), '', '```text', textTable(measured, columns), '```', ''].join('\n')
}

async function subject(name: Subject['name'], file: string | undefined, make: () => Uint8Array): Promise<Subject> {
  const bytes = file === undefined ? make() : await readFile(file)
  return { name, bytes, title: `${name} (${file ?? 'generated'}, ${Math.round(bytes.length / 1000)} kB)` }
}

async function measure({ bytes, title }: Subject, pace: Pace): Promise<Measured> {
  const model = await onnxModel({ bytes, batch: rows, preprocessing: { mean: 0.45, std: 0.22 } }).open()
  const { channels, height, width } = model.shape
  const dim = channels * height * width
  const contenders = [throughZeroth(model, dim), await bareLoop(bytes, model)]
  const [through, bare] = await race(contenders, dim, rows - 1, pace, (message) => process.stderr.write(`${message}\n`))
  await model.close()
  if (through === undefined || bare === undefined) throw new Error('a contender was left out: nothing to compare')
  return { title, through, bare }
}

function throughZeroth(model: Model, dim: number): Contender {
  const session = createSession(new Float64Array(dim).fill(0.5), {
    solver: zoAdaMM({
      directions: rows - 1,
      smoothing: 0.005,
      learningRate: { value: 0.001, decay: 'sqrt' },
      feasible: false,
    }),
    set: box({ lower: 0, upper: 1 }),
    precision: 'float32',
    maxIterations: 1_000_000,
  })
  const driving = driver(session, classifierObjective(model, margin))
  return contender('zeroth', async () => {
    await driving.turn()
  })
}

/** How far the first class is ahead of the best other one: the loss of an untargeted attack. */
function margin(scores: ArrayLike<number>): number {
  let best = -Infinity
  for (let i = 1; i < scores.length; i++) best = Math.max(best, scores[i] as number)
  return (scores[0] as number) - best
}

async function bareLoop(bytes: Uint8Array, { shape }: Model): Promise<Contender> {
  const session = await InferenceSession.create(bytes, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
  })
  const size = [rows, shape.channels, shape.height, shape.width]
  const pixels = Float32Array.from({ length: size.reduce((a, b) => a * b) }, (_, i) => ((i * 7919) % 256) / 255)
  const tensor = new Tensor('float32', pixels, size)
  const feeds = { [session.inputNames[0] as string]: tensor }
  return contender('onnxruntime', async () => {
    await session.run(feeds)
  })
}

function contender(name: string, turn: () => Promise<void>): Contender {
  const time = async ({ iterations }: Work): Promise<number> => {
    const began = performance.now()
    for (let i = 0; i < iterations; i++) await turn()
    return (performance.now() - began) / iterations
  }
  return { name, title: name, variants: [{ label: name, time }], close: () => undefined }
}

function perSecond({ times }: Timing): string {
  return ((1000 * rows) / median(times)).toFixed(0)
}
