import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import * as objectives from '../../src/app/objectives/index.ts'
import type { Table } from '../../src/optimizer/core/options.ts'
import { minimizeOptions } from '../../src/optimizer/minimize/minimize-sync.ts'
import { batchOptions, functionOptions } from '../../src/optimizer/objectives/function.ts'

import { cachedOptions } from '../../src/optimizer/wrappers/cached.ts'
import { limitedOptions, rateLimitedOptions, timedOptions } from '../../src/optimizer/wrappers/limits.ts'
import { loggedOptions } from '../../src/optimizer/wrappers/logged.ts'
import { noisyOptions } from '../../src/optimizer/wrappers/noisy.ts'

import { retriedOptions } from '../../src/optimizer/wrappers/retried.ts'

import * as library from '../../src/parts.ts'
import { attackProblemOptions } from '../../src/robustness/attack-problem.ts'
import { folderOptions } from '../../src/robustness/images/folder.ts'
import { cifarOptions, idxOptions } from '../../src/robustness/images/idx-and-cifar.ts'

import { imageOptions } from '../../src/robustness/images/image-file.ts'
import * as attacks from '../../src/robustness/index.ts'
import * as models from '../../src/robustness/models/index.ts'
import { pacedOptions } from '../../src/robustness/models/model-wrappers.ts'
import { robustnessOptions } from '../../src/robustness/robustness-options.ts'

// What an editor shows is read from the types that the package publishes, as an editor does.
const entry = (name: string): string => fileURLToPath(new URL(`../../dist/${name}.d.ts`, import.meta.url))
const names = ['', 'app/objectives/', 'robustness/models/', 'robustness/', 'robustness/images/'].map(
  (folder) => `${folder}index`,
)
const entries = names.map(entry)
const program = ts.createProgram(entries, {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
})
const checker = program.getTypeChecker()
const exported = new Map(entries.flatMap((file) => symbolsOf(file).map((symbol) => [symbol.name, symbol])))

describe('every option has a sentence:', () => {
  const everyPart = Object.entries<unknown>({ ...library, ...objectives, ...models, ...attacks }).filter(isPart)
  test.each(everyPart)('%s', (name, { definition }) => {
    expect(optionsOf(name, 0)).toEqual(Object.keys(definition.options.shape).sort())
  })

  test.each(['minimize', 'minimizeSync', 'maximize'])('%s', (name) => {
    expect(optionsOf(name, 2)).toEqual(Object.keys(minimizeOptions.shape).sort())
  })

  test.each([
    ['functionObjective', 1, functionOptions],
    ['batchedObjective', 1, batchOptions],
    ['cached', 1, cachedOptions],
    ['limited', 1, limitedOptions],
    ['logged', 1, loggedOptions],
    ['noisy', 1, noisyOptions],
    ['rateLimited', 1, rateLimitedOptions],
    ['retried', 1, retriedOptions],
    ['timed', 1, timedOptions],
    ['paced', 1, pacedOptions],
    ['cifarDataset', 0, cifarOptions],
    ['folderDataset', 0, folderOptions],
    ['idxDataset', 0, idxOptions],
    ['readImage', 1, imageOptions],
    ['attackProblem', 2, attackProblemOptions],
    ['evaluateRobustness', 2, robustnessOptions],
    ['attackScreened', 3, robustnessOptions],
  ] as const)('%s', (name, parameter, { shape }) => {
    expect(optionsOf(name, parameter)).toEqual(Object.keys(shape).sort())
  })

  test('createSession', () => expect(optionsOf('createSession', 1)).toContain('maxQueries'))
  test('minimizeMany', () => expect(optionsOf('minimizeMany', 2)).toContain('seeds'))
})

test('an option says what it means, its limits and its default', () => {
  expect(documentationOf(propertiesOf('zoAdaMM', 0), 'directions')).toBe(
    'Directions per iteration (the paper: q). At least 1; default 10.',
  )
  expect(documentationOf(propertiesOf('minimize', 2), 'maxTime')).toBe(
    'Milliseconds for the whole run at most. Above 0.',
  )
})

test.each(['Finished', 'Aborted', 'Failed', 'Result', 'HistoryRecord', 'ManyResult', 'Summary'])(
  'every field of %s has a sentence',
  (name) => {
    const symbol = exported.get(name)
    const fields = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(actual(symbol as ts.Symbol)))
    expect(documentedNames(fields).length).toBeGreaterThan(3)
  },
)

test.each(names)('every part, function and type that %s exports says what it is', (name) => {
  const silent = symbolsOf(entry(name)).filter((symbol) => sentenceOf(symbol) === '')
  expect(silent.map(({ name }) => name)).toEqual([])
})

/** The names of an exported function's options, each of which must have a sentence. */
function optionsOf(name: string, parameter: number): string[] {
  return documentedNames(propertiesOf(name, parameter))
}

function documentedNames(properties: readonly ts.Symbol[]): string[] {
  expect(properties.filter((each) => sentenceOf(each) === '').map((each) => each.name)).toEqual([])
  return properties.map((each) => each.name).sort()
}

/** The properties of a parameter, whichever overload has it. */
function propertiesOf(name: string, parameter: number): ts.Symbol[] {
  const symbol = exported.get(name) as ts.Symbol
  const signatures = checker.getTypeOfSymbol(actual(symbol)).getCallSignatures()
  const properties = signatures.flatMap((signature) => {
    const taken = signature.getParameters()[parameter]
    const type = taken === undefined ? undefined : checker.getTypeOfSymbol(taken)
    // A part takes a list of one or no object, so that it can be left out where nothing is required.
    const [first = type] =
      type !== undefined && checker.isTupleType(type) ? checker.getTypeArguments(type as ts.TypeReference) : []
    return first === undefined ? [] : checker.getPropertiesOfType(checker.getNonNullableType(first))
  })
  return [...new Map(properties.map((each) => [each.name, each])).values()]
}

function documentationOf(properties: readonly ts.Symbol[], name: string): string {
  const property = properties.find((each) => each.name === name)
  return property === undefined ? '' : sentenceOf(property)
}

function sentenceOf(symbol: ts.Symbol): string {
  return ts.displayPartsToString(actual(symbol).getDocumentationComment(checker))
}

/** What an export stands for. */
function actual(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function symbolsOf(file: string): ts.Symbol[] {
  const source = program.getSourceFile(file)
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  return module === undefined ? [] : checker.getExportsOfModule(module)
}

function isPart(entry: [string, unknown]): entry is [string, { definition: { options: Table } }] {
  return typeof entry[1] === 'function' && 'definition' in entry[1]
}
