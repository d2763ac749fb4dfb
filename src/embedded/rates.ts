import { readFileSync } from 'node:fs'
import { show, ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { choice, option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { filledText, json, positiveNumber, recordOf } from '../core/schema.ts'
import { assetFile, checkedWord, type EmbeddedName, embeddedNames } from './embedded-names.ts'

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

const rates = recordOf(positiveNumber)

const ratesFile = table({
  found: option(filledText, 'how the rates were found, in a sentence; "provisional" before any search'),
  search: optional(recordOf(json), 'settings and results of the search, for the record'),
  decay: choice(['none', 'sqrt', 'linear'], 'how all of them decay'),
  constrained: option(rates, 'learning rate by solver, for the constrained form'),
  unconstrained: option(rates, 'learning rate by solver, for the unconstrained form'),
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
