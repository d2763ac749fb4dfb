import { readFileSync } from 'node:fs'
import { ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { filledText, json, positiveNumber, recordOf } from '../core/schema.ts'
import { assetFile } from './asset-file.ts'
import type { EmbeddedName } from './embedded-names.ts'

/** The two forms of an attack: images kept in their box, or under a tanh that needs no box. */
export const attackProblems = ['constrained', 'unconstrained'] as const

/** One of the two forms of an attack. */
export type ProblemName = (typeof attackProblems)[number]

const rates = recordOf(positiveNumber)

const ratesFile = table({
  found: option(filledText, 'how the rates were found, in a sentence; "provisional" before any search'),
  search: optional(recordOf(json), 'settings and results of the search, for the record'),
  constrained: option(rates, 'learning rate by solver, for the constrained form'),
  unconstrained: option(rates, 'learning rate by solver, for the unconstrained form'),
})

/** Tuned learning rates of one classifier, by form and solver. */
export type Rates = Output<typeof ratesFile>

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
