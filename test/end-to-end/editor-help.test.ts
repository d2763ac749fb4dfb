import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { attackProblemOptions } from '../../src/attacks/attack-problem.ts'
import * as attacks from '../../src/attacks/registry.ts'
import { robustnessOptions } from '../../src/attacks/robustness-options.ts'
import type { Table } from '../../src/core/option-type.ts'
import { cifarOptions } from '../../src/datasets/cifar-png.ts'
import { folderOptions } from '../../src/datasets/folder.ts'
import { idxOptions } from '../../src/datasets/idx.ts'
import { imageOptions } from '../../src/datasets/read-image.ts'
import { pacedOptions } from '../../src/models/paced.ts'
import * as models from '../../src/models/registry.ts'
import { batchOptions } from '../../src/objectives/batched.ts'
import { functionOptions } from '../../src/objectives/function.ts'
import * as objectives from '../../src/objectives/registry.ts'
import * as library from '../../src/parts.ts'
import { minimizeOptions } from '../../src/run/minimize-table.ts'
import { threadOptions } from '../../src/threads/threaded-kernels.ts'
import { cachedOptions } from '../../src/wrappers/cached.ts'
import { loggedOptions } from '../../src/wrappers/call-record.ts'
import { limitedOptions } from '../../src/wrappers/limited.ts'
import { noisyOptions } from '../../src/wrappers/noisy.ts'
import { rateLimitedOptions } from '../../src/wrappers/rate-limited.ts'
import { retriedOptions } from '../../src/wrappers/retried.ts'
import { timedOptions } from '../../src/wrappers/timed.ts'

// What an editor shows is read from the types that the package publishes, as an editor does.
const entry = (name: string): string => fileURLToPath(new URL(`../../dist/${name}.d.ts`, import.meta.url))
const names = ['index', 'objectives/index', 'models/index', 'attacks/index', 'datasets/index', 'threads/index']
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
    ['threadedKernels', 0, threadOptions],
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
