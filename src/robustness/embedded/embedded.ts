import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { didYouMean, show, ZerothError } from '../../optimizer/core/errors.ts'
import {
  filledText,
  type Input,
  json,
  type Output,
  oneOf,
  optional,
  parseOptions,
  pick,
  positive,
  recordOf,
  table,
} from '../../optimizer/core/options.ts'
import { type Dataset, type IndexRange, subset } from '../images/dataset.ts'
import { cifarDataset, idxDataset } from '../images/idx-and-cifar.ts'
import type { ModelSource } from '../models/model.ts'
import { onnxModel } from '../models/onnx.ts'

/** The classifiers that ship with the package. */
export const embeddedNames = ['digits', 'cifar10'] as const

/** One of the classifiers that ship with the package. */
export type EmbeddedName = (typeof embeddedNames)[number]

/** The word itself, if it is one of those known; if not, an error that lists them and suggests the nearest. */
export function checkedWord<Word extends string>(what: string, word: unknown, known: readonly Word[]): Word {
  const found = known.find((each) => each === word)
  if (found !== undefined) return found
  const hint = typeof word === 'string' ? didYouMean(word, known) : ''
  const list = known.map((each) => show(each)).join(', ')
  throw new ZerothError('invalid-option', `${what} must be one of ${list}, got ${show(word)}${hint}`)
}

/** The path of a file that ships with a classifier: src/robustness/embedded and dist/robustness/embedded are equally far from it. */
function assetFile(name: EmbeddedName, file: string): string {
  return fileURLToPath(new URL(`../../../assets/${name}/${file}`, import.meta.url))
}

const options = pick(onnxModel.definition.options, 'batch', 'sessions', 'providers')

/** How an embedded classifier is run: `batch`, `sessions` and `providers` of `onnxModel`. */
export type EmbeddedModelOptions = Readonly<Input<typeof options>>

/** A classifier that ships with the package; it takes pixels from 0 to 1 and gives logits. */
export function embeddedModel(name: EmbeddedName, given: EmbeddedModelOptions = {}): ModelSource {
  const known = checkedWord('the embedded model', name, embeddedNames)
  return onnxModel({ file: assetFile(known, 'model.onnx'), ...parseOptions('embeddedModel', options, given) })
}

/** Which of the embedded images: those on which settings are chosen, or those on which results are reported. */
export type Split = 'held-out' | 'tuning'

const splits: Readonly<Record<Split, IndexRange>> = {
  'held-out': { from: 40, count: 130 },
  tuning: { from: 0, count: 40 },
}

const splitNames = Object.keys(splits) as Split[]

interface ImageSet {
  readonly classNames: readonly string[]
  /** All its images, in the order of the test set they come from. */
  open(name: string): Promise<Dataset>
}

const sets: Readonly<Record<EmbeddedName, ImageSet>> = {
  digits: {
    classNames: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    open: (name) =>
      idxDataset({
        images: assetFile('digits', 'images-idx3-ubyte'),
        labels: assetFile('digits', 'labels-idx1-ubyte'),
        name,
      }),
  },
  cifar10: {
    classNames: ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck'],
    open(name) {
      const [images, labels] = [assetFile('cifar10', 'images.png'), assetFile('cifar10', 'labels.json')]
      if (existsSync(images)) return cifarDataset({ images, labels, name })
      const why = 'the images of CIFAR-10 are not in the package, because they have no licence'
      throw new ZerothError('invalid-data', `${why}: zeroth docs embedded says where they are`)
    },
  },
}

/** The images that ship with a classifier: 130 held out for reported results, or 40 for tuning. */
export async function embeddedImages(name: EmbeddedName, split: Split = 'held-out'): Promise<Dataset> {
  const { classNames, open } = sets[checkedWord('the embedded image set', name, embeddedNames)]
  const range = splits[checkedWord('the split', split, splitNames)]
  const all = await open(`${name}, ${split}`)
  return { ...subset(all, range), classNames }
}

/** What the classes of an embedded classifier are called, by their numbers. */
export function embeddedClassNames(name: EmbeddedName): readonly string[] {
  return sets[checkedWord('the embedded classifier', name, embeddedNames)].classNames
}

/** The two forms of an attack: images kept in their box, or under a tanh that needs no box. */
export const attackProblems = ['constrained', 'unconstrained'] as const

/** One of the two forms of an attack. */
export type ProblemName = (typeof attackProblems)[number]

/** A rate that is known for a dimension. */
interface Anchor {
  readonly dim: number
  readonly rate: number
}

/** A learning rate and how it falls with the iterations: what the option `learningRate` of a solver takes. */
export interface DecayingRate {
  readonly value: number
  readonly decay: 'none' | 'sqrt' | 'linear'
}

/** The learning rate that was tuned for attacks on an embedded classifier; undefined for a solver without one. */
export function tunedRate(name: EmbeddedName, problem: ProblemName, solver: string): DecayingRate | undefined {
  const rates = readRates(checkedWord('the embedded model', name, embeddedNames))
  const value = rateIn(rates[checkedWord('the problem', problem, attackProblems)], solver)
  return value === undefined ? undefined : { value, decay: rates.decay }
}

/** The paper's learning rates for attacks on single images of 299 x 299 x 3 (Table A1 and its text). */
const paper: Pick<Rates, ProblemName> = {
  constrained: { 'zo-adamm': 0.01, 'zo-psgd': 1e-4, 'zo-smd': 3e-4, 'zo-nes': 9e-3 },
  unconstrained: { 'zo-adamm': 0.01, 'zo-sgd': 5e-4, 'zo-sign-sgd': 0.01, 'zo-scd': 1e-3 },
}

/**
 * A learning rate to begin with for attacks on any other model, by the number of pixel values: on a straight line, in
 * logarithms, between the tuned rates of the digits and of CIFAR-10 and the paper's, which all decay as alpha / sqrt(t). Undefined for a solver without any.
 */
export function defaultRate(problem: ProblemName, solver: string, dim: number): DecayingRate | undefined {
  checkedWord('the problem', problem, attackProblems)
  if (!Number.isSafeInteger(dim) || dim < 1) {
    throw new ZerothError('invalid-option', `the dimension must be a whole number above 0, got ${show(dim)}`)
  }
  const anchors = anchorsOf(problem, solver)
  // Beyond either end, both neighbours are the anchor at that end.
  const upper = anchors.find((anchor) => anchor.dim >= dim) ?? anchors.at(-1)
  const lower = anchors.findLast((anchor) => anchor.dim <= dim) ?? anchors.at(0)
  if (lower === undefined || upper === undefined) return undefined
  return { value: between(lower, upper, dim), decay: 'sqrt' }
}

function anchorsOf(problem: ProblemName, solver: string): Anchor[] {
  const sources = [
    { dim: 28 * 28, rates: readRates('digits') },
    { dim: 3 * 32 * 32, rates: readRates('cifar10') },
    { dim: 3 * 299 * 299, rates: paper },
  ]
  return sources.flatMap(({ dim, rates }) => {
    const rate = rateIn(rates[problem], solver)
    return rate === undefined ? [] : [{ dim, rate }]
  })
}

/** Three digits are more than is known of such a rate, and the same everywhere, unlike the last bits of logarithms. */
function between(lower: Anchor, upper: Anchor, dim: number): number {
  if (lower === upper) return upper.rate
  const share = Math.log(dim / lower.dim) / Math.log(upper.dim / lower.dim)
  const rate = lower.rate * Math.exp(share * Math.log(upper.rate / lower.rate))
  return Number(rate.toPrecision(3))
}

const rates = recordOf(positive)

const ratesFile = table({
  /** How the rates were found, in a sentence; "provisional" before any search. */
  found: filledText,
  /** Settings and results of the search, for the record. */
  search: optional(recordOf(json)),
  /** How all of them decay. */
  decay: oneOf('none', 'sqrt', 'linear'),
  /** Learning rate by solver, for the constrained form. */
  constrained: rates,
  /** Learning rate by solver, for the unconstrained form. */
  unconstrained: rates,
})

/** Tuned learning rates of one classifier, by form and solver. */
type Rates = Output<typeof ratesFile>

/** The rates in the text of a file, and how they were found; `file` is what an error names. */
export function parseRates(text: string, file: string): Rates {
  return parseOptions(file, ratesFile, parsed(text, file))
}

const known = new Map<EmbeddedName, Rates>()

/** The tuned learning rates that ship with a classifier; the file is read once. */
export function readRates(name: EmbeddedName): Rates {
  const file = assetFile(name, 'rates.json')
  const rates = known.get(name) ?? parseRates(readFileSync(file, 'utf8'), file)
  known.set(name, rates)
  return rates
}

/** The rate of a solver, where there is one. */
export function rateIn(rates: Readonly<Record<string, number>>, solver: string): number | undefined {
  return Object.hasOwn(rates, solver) ? rates[solver] : undefined
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ZerothError('invalid-data', `${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
