import { readFileSync } from 'node:fs'
import { incompleteReason, voidReason } from '../../src/app/jobs/evaluation/status.ts'
import type { AttackProblem } from '../../src/robustness/attack-problem.ts'
import { driveAttack, type RunAttack } from '../../src/robustness/attack-task.ts'
import { embeddedImages } from '../../src/robustness/embedded/index.ts'
import { type AttackStore, evaluateRobustness } from '../../src/robustness/evaluate-robustness.ts'
import { constrained } from '../../src/robustness/formulations.ts'
import { onnxModel, openInferenceModel } from '../../src/robustness/models/index.ts'
import type { AttackReport } from '../../src/robustness/records.ts'
import type { RobustnessOptions } from '../../src/robustness/robustness-options.ts'
import { servedNetwork } from '../networks/network-server.ts'
import { type ServedModel, startOpenInferenceServer } from '../servers/open-inference-server.ts'

/** What a server makes of a request, counted from 0 on, with so many images of so many numbers. */
interface Lie {
  readonly name: string
  /** Changes the images before they are classified. */
  readonly images?: (images: Float32Array[], request: number) => void
  /** Changes the scores that are sent. */
  readonly scores?: (scores: number[][], request: number) => void
}

/** Numbers that look random, the same each time. */
function chance(request: number, salt = 0): number {
  const mixed = Math.imul(request + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b)
  return ((Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0) % 1000) / 1000
}

const roll = (row: number[]): void => void row.unshift(...row.splice(-1))
const eachRow = (change: (row: number[]) => void) => (scores: number[][]) => scores.forEach(change)
const rolled = eachRow(roll)
const swap = (scores: number[][]): void => void scores.reverse()
const endless = (value: number, at: number) =>
  eachRow((row) => {
    row[at] = value
  })
/** Another model, which is about as good: it sees every image one pixel further to the left. */
const shift = (images: Float32Array[]): void => {
  for (const image of images) image.copyWithin(0, 1)
}
const few = (share: number, change: (scores: number[][]) => void): NonNullable<Lie['scores']> => {
  return (scores, request) => {
    if (chance(request) < share) change(scores)
  }
}
const every = (step: number, change: (scores: number[][]) => void): NonNullable<Lie['scores']> => {
  return (scores, request) => {
    if (request % step === 1) change(scores)
  }
}
const during = <Rows>(requests: number, change: (rows: Rows) => void) => {
  return (rows: Rows, request: number): void => {
    if (request < requests) change(rows)
  }
}

/** Six kinds of lies, three ways of each. */
const lies: readonly Lie[] = [
  { name: 'a wrong class in every 7th reply', scores: every(7, rolled) },
  { name: 'a wrong class in 10 % of the replies', scores: few(0.1, rolled) },
  { name: 'a wrong class of one row in 2 % of the replies', scores: few(0.02, ([row = []]) => roll(row)) },
  { name: 'rows in reverse', scores: swap },
  { name: 'rows in reverse in every 5th reply', scores: every(5, swap) },
  { name: 'the first row last in 20 % of the replies', scores: few(0.2, (rows) => rows.push(...rows.splice(0, 1))) },
  { name: 'rolled classes for good', scores: rolled },
  { name: 'rolled classes in 30 requests', scores: during(30, rolled) },
  { name: 'rolled classes in 4 requests', scores: during(4, rolled) },
  { name: '+Infinity for a class in every 9th reply', scores: every(9, endless(Infinity, 3)) },
  {
    name: '+Infinity for all classes in 10 % of the replies',
    scores: few(
      0.1,
      eachRow((row) => row.fill(Infinity)),
    ),
  },
  { name: '-Infinity for a class in 10 % of the replies', scores: few(0.1, endless(-Infinity, 1)) },
  { name: 'a wrong one of two replicas, in turn', scores: every(2, rolled) },
  { name: 'a wrong one of two replicas, at random', scores: few(1 / 2, rolled) },
  { name: 'a wrong one of three replicas, at random', scores: few(1 / 3, rolled) },
  { name: 'another model for good', images: shift },
  { name: 'another model in 30 requests', images: during(30, shift) },
  { name: 'another model in 10 requests', images: during(10, shift) },
]

/** A lie, from which share of the requests of an evaluation on it is told, and what the evaluation is told. */
export interface Fault {
  readonly lie: Lie
  readonly moment: number
  readonly options?: RobustnessOptions
}

/**
 * Each lie at three moments: from the first request on, in the middle, and near the end. One of each kind with early stop, too,
 * and one with a perturbation for all images. What lies for good begins after the first request, or it is no lie.
 */
export const faults: readonly Fault[] = [
  ...lies.flatMap((lie) => [0, 0.4, 0.85].map((moment) => ({ lie, moment }))),
  ...lies.filter((_, i) => i % 3 === 1).map((lie): Fault => ({ lie, moment: 0.4, options: { earlyStop: true } })),
  { lie: lies[1] as Lie, moment: 0.4, options: { universal: true } },
]

/** A model that is replaced for good, and one that is replaced now and then, at moments in between. */
export const replacements: readonly Fault[] = [
  { name: 'rolled classes for good', scores: rolled },
  {
    name: 'rolled classes in 10 of 60 requests',
    scores: (scores: number[][], request: number): void => {
      if (request % 60 < 10) rolled(scores)
    },
  },
].flatMap((lie) => Array.from({ length: 18 }, (_, i) => ({ lie, moment: Number((0.05 * (i + 1)).toFixed(2)) })))

export function faultName({ lie, moment, options = {} }: Fault): string {
  return [lie.name, `from ${100 * moment} % of the requests on`, ...Object.keys(options)].join(', ')
}

/** What became of an evaluation, beside what an honest network says of the very points that were reported. */
interface Judged {
  readonly report: AttackReport
  readonly requests: number
  /** Whether the exit code of `zeroth attack` would be 0. */
  readonly isAccepted: boolean
  /** Images said to be fooled whose reported point, or the picture that is said to, does not fool the honest network. */
  readonly falselyFooled: readonly number[]
}

const asset = (file: string) => readFileSync(new URL(`../../assets/digits/${file}`, import.meta.url))
const preprocessing = JSON.parse(String(asset('model.preprocessing.json')))

/** Evaluates the digits network behind a server that may lie from some request on. */
async function evaluatedBehind(lie: Lie | undefined, from: number, options: RobustnessOptions): Promise<Judged> {
  const served = await servedNetwork(asset('model.onnx'))
  let requests = 0
  const infer: ServedModel['infer'] = async ([input], version) => {
    const request = requests++ - from
    if (input === undefined) throw new Error('no input')
    const rows = input.shape[0] ?? 1
    const size = input.data.length / rows
    const images = Array.from({ length: rows }, (_, i) => Float32Array.from(input.data.slice(i * size, (i + 1) * size)))
    if (request >= 0) lie?.images?.(images, request)
    const [output, ...rest] = await served.infer([{ ...input, data: images.flatMap((image) => [...image]) }], version)
    if (output === undefined) throw new Error('no output')
    const classes = output.data.length / rows
    const scores = Array.from({ length: rows }, (_, i) => output.data.slice(i * classes, (i + 1) * classes))
    if (request >= 0) lie?.scores?.(scores, request)
    return [{ ...output, data: scores.flat() }, ...rest]
  }
  const server = await startOpenInferenceServer({ digits: { ...served, infer } })
  const dataset = await embeddedImages('digits')
  const problems = new Map<number, AttackProblem>()
  const pictures = new Map<number, Float32Array>()
  const keep: NonNullable<AttackStore['keep']> = (record, picture) => {
    if (picture !== undefined) pictures.set(record.index, picture.adversarial)
    return record
  }
  const run: RunAttack = (problem, session, place, control) => {
    problems.set(place.index, problem)
    return driveAttack(problem, session, place, control)
  }
  try {
    const model = await openInferenceModel({ url: server.url, model: 'digits', preprocessing }).open()
    const report = await evaluateRobustness(model, dataset, options, { parallel: 3, store: { run, keep } })
    const { falselyFooled } = await judge(report, { problems, pictures }, options)
    const isAccepted = voidReason(report) === undefined && incompleteReason({}, report) === undefined
    return { report, requests, isAccepted, falselyFooled }
  } finally {
    await server.close()
    await served.release()
  }
}

/** What is known of an evaluation beside its report: the problems by the number of the image, and the pictures in 8 bits. */
interface Evidence {
  readonly problems: ReadonlyMap<number, AttackProblem>
  readonly pictures: ReadonlyMap<number, Float32Array>
}

/** Asks the honest network about the points that were reported as successes, and the pictures that were kept of them. */
async function judge(
  { images }: AttackReport,
  { problems, pictures }: Evidence,
  { universal = false }: RobustnessOptions,
) {
  const model = await onnxModel({ bytes: asset('model.onnx'), preprocessing }).open()
  const falselyFooled: number[] = []
  try {
    const attacked = images.filter(({ status }) => status !== 'skipped' && status !== 'failed')
    const isFooled = async (label: number, write: (into: Float32Array | Float64Array) => void): Promise<boolean> => {
      const scores = new Float64Array(model.classes)
      await model.predict({ rows: 1, write: (_, into) => write(into) }, scores)
      return scores.indexOf(Math.max(...scores)) !== label
    }
    for (const [i, { index, label, status, success8bit }] of attacked.entries()) {
      if (status !== 'fooled') continue
      const problem = problems.get(universal ? -1 : index)
      const variables = problem?.account.variables(universal ? 'final' : 'best')
      if (problem === undefined || variables === undefined) throw new Error(`image ${index} was not attacked`)
      const isSound = await isFooled(label ?? 0, (into) => problem.paint(variables, universal ? i : 0, into))
      const picture = pictures.get(index)
      if (success8bit === true && picture === undefined) throw new Error(`image ${index} has no picture`)
      const isKept = success8bit !== true || (await isFooled(label ?? 0, (into) => into.set(picture ?? [])))
      if (!isSound || !isKept) falselyFooled.push(index)
    }
  } finally {
    await model.close()
  }
  return { falselyFooled }
}

const alike: RobustnessOptions = { count: 4, maxQueries: 300, formulation: constrained({ linf: 0.1 }), seed: 1 }

/** Evaluations behind an honest server and behind one with a fault: false results, and how many images each said what of. */
export async function falseResults({ lie, moment, options }: Fault) {
  const given = { ...alike, ...options }
  const key = JSON.stringify(options ?? {})
  honest[key] ??= evaluatedBehind(undefined, 0, given)
  const before = await honest[key]
  if (!before.isAccepted || before.falselyFooled.length > 0) throw new Error('the honest server is not believed')
  const from = Math.max(1, Math.floor(moment * before.requests))
  const { report, isAccepted, falselyFooled } = await evaluatedBehind(lie, from, given)
  const robust = falselyRobust(report, before.report)
  return { falselyFooled, falselyRobust: isAccepted ? robust : [], isAccepted, report }
}

const honest: Record<string, Promise<Judged>> = {}

/** Images that are robust now, and were fooled behind an honest server. */
function falselyRobust(now: AttackReport, honest: AttackReport): number[] {
  const fooled = new Set(honest.images.filter(({ status }) => status === 'fooled').map(({ index }) => index))
  return now.images.filter(({ index, status }) => status === 'robust' && fooled.has(index)).map(({ index }) => index)
}
