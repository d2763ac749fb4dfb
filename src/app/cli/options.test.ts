import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { compileSpec, specSchema } from '../spec/index.ts'
import {
  bounds,
  collected,
  commandWords,
  jsonOrText,
  milliseconds,
  number,
  positiveNumber,
  start,
  wholeNumber,
} from './option-values.ts'
import { type SpecFlags, solverNames, specFromOptions, withSpecOptions } from './options.ts'

const { options } = withSpecOptions(new Command())

test('every option stands for something that a spec can say', () => {
  const known = Object.keys((specSchema() as { properties: object }).properties)
  const others = ['config', 'function', 'exec', 'http', 'module', 'learningRate', 'directions', 'smoothing']
  const names = options.map((option) => option.attributeName())
  const unknown = names.filter((name) => ![...known, ...others, 'retries', 'variable', 'option'].includes(name))
  expect(unknown).toEqual([])
  expect(names).toHaveLength(new Set(names).size)
})

test('the help names the test problems and the solvers there are', () => {
  const described = options.map(({ description }) => description).join('\n')
  for (const name of ['rosenbrock', 'logistic-regression', 'zo-sgd', 'descent']) expect(described).toContain(name)
})

test('the help groups the methods: those without a learning rate, those with one, and where to find those of attacks', () => {
  const [solver] = options.filter(({ long }) => long === '--solver')
  const [, general = '', rate = '', attacks] = solver?.description.split('\n') ?? []
  expect(general).toBe(
    'without a learning rate: auto, bayesian, block-descent, cma-es, noisy-descent, quasi-newton, random, trust-region',
  )
  expect(rate).toMatch(/^with a learning rate: zo-adamm, /)
  expect(attacks).toBe('made for attacks: see zeroth attack --help')
  expect(solverNames(['made for attacks'])).toBe(
    'made for attacks: adaptive-square, label-only, nearest-boundary, sign-hunter, simba, square, strongest, two-phase',
  )
})

test('options are read into numbers', () => {
  const read = withSpecOptions(new Command()).parse(
    ['--dim', '3', '--bounds', '-1,1', '-j', '2', '--max-time', '2s', '-O', 'a=1', '-O', 'b=2', '--start', '-1'],
    { from: 'user' },
  )
  expect(read.opts()).toEqual({
    dim: 3,
    bounds: [-1, 1],
    jobs: 2,
    maxTime: 2000,
    option: ['a=1', 'b=2'],
    start: -1,
  })
})

const folder = mkdtempSync(join(tmpdir(), 'zeroth-options-'))
const file = join(folder, 'problem.yaml')
writeFileSync(
  file,
  'objective: rosenbrock\ndim: 4\nset: { name: l2-ball, radius: 1 }\nsolver: { name: zo-adamm, directions: 5 }\nseed: 3\n',
)
afterAll(() => rmSync(folder, { recursive: true }))

const specOf = (flags: SpecFlags, from?: string) => specFromOptions(from, flags).spec
const problem = { function: 'rosenbrock', dim: 3 }

describe('options become a spec', () => {
  test('plain ones under their own names', () => {
    const flags = {
      ...problem,
      start: [1, 2, 3],
      seed: 7,
      maxQueries: 50,
      target: 0.5,
      patience: 20,
      failures: 'skip',
      log: true,
    }
    expect(specOf(flags)).toEqual({
      objective: 'rosenbrock',
      dim: 3,
      start: [1, 2, 3],
      seed: 7,
      maxQueries: 50,
      target: 0.5,
      patience: 20,
      failures: 'skip',
      log: true,
    })
  })

  test('a program by its words, started here', () => {
    const { objective } = specOf({ exec: 'python3 "my objective.py"', dim: 2 })
    expect(objective).toEqual({ name: 'exec', command: ['python3', 'my objective.py'], cwd: process.cwd() })
  })

  test('a service and a module; the module in threads, where nothing it does keeps the run from stopping', () => {
    expect(specOf({ http: 'http://localhost/f', dim: 2 }).objective).toEqual({
      name: 'http',
      url: 'http://localhost/f',
    })
    const module = resolve('f.js')
    expect(specOf({ module: 'f.js', dim: 2 }).objective).toEqual({ name: 'workers', workers: 1, module })
    expect(specOf({ module: 'f.js#g', dim: 2, jobs: 3 }).objective).toEqual({
      name: 'workers',
      workers: 3,
      module,
      export: 'g',
    })
  })

  test('retries and a rate as wrappers', () => {
    expect(specOf({ ...problem, retries: 3, rate: 5 })).toMatchObject({
      retry: { attempts: 4 },
      rate: { perSecond: 5 },
    })
    expect(specOf({ ...problem, retries: 0 })).toMatchObject({ retry: false })
  })

  test('options of the solver beside its name', () => {
    expect(specOf({ ...problem, solver: 'zo-sgd', directions: 3 }).solver).toEqual({ name: 'zo-sgd', directions: 3 })
  })

  test('any key by --option, also of parts that were names alone', () => {
    const option = ['solver.beta1=0.5', 'solver.along=gaussian', 'noise={"deviation":0.1}', 'objective.shift=1']
    expect(specOf({ ...problem, option })).toMatchObject({
      objective: { name: 'rosenbrock', shift: 1 },
      solver: { beta1: 0.5, along: 'gaussian' },
      noise: { deviation: 0.1 },
    })
  })
})

describe('a file and options', () => {
  test('options overrule the keys of the file; its other keys stay', () => {
    expect(specOf({ seed: 9, learningRate: 0.2 }, file)).toMatchObject({
      dim: 4,
      seed: 9,
      set: { name: 'l2-ball', radius: 1 },
      solver: { name: 'zo-adamm', directions: 5, learningRate: 0.2 },
    })
  })

  test('bounds replace a set, another solver replaces one with its options, the same one keeps them', () => {
    expect(specOf({ bounds: [-1, 1] }, file)).not.toHaveProperty('set')
    expect(specOf({ solver: 'zo-sgd' }, file).solver).toEqual({ name: 'zo-sgd' })
    expect(specOf({ solver: 'zo-adamm' }, file).solver).toEqual({ name: 'zo-adamm', directions: 5 })
  })

  test('the file may be given as an option, but not twice', () => {
    expect(specOf({ config: file })).toMatchObject({ dim: 4 })
    expect(() => specOf({ config: file }, file)).toThrow(`one spec only, got ${file} and --config ${file}`)
  })
})

describe('mistakes', () => {
  test('nothing or several things to minimise', () => {
    expect(() => specOf({ dim: 3 })).toThrow('nothing to minimise: give a spec file, or --function')
    expect(() => specOf({ function: 'a', http: 'b' })).toThrow(
      'only one thing can be minimised, got --function and --http',
    )
    expect(() => specOf({ module: '#f' })).toThrow('--module must be a file, got "#f"')
  })

  test.each(['seed', '=1', '.a=1', 'a..b=1', '__proto__.x=1', 'solver.constructor=1'])('--option %s', (option) => {
    expect(() => specOf({ ...problem, option: [option] })).toThrow('--option must be like key=value or part.key=value')
  })

  test('an option of other solvers than the default', () => {
    const flags = { ...problem, learningRate: 0.1 }
    expect(() => specOf(flags)).toThrow('--learning-rate: auto, the default solver, has no such option')
    expect(specOf({ ...flags, solver: 'zo-adamm' }).solver).toEqual({ name: 'zo-adamm', learningRate: 0.1 })
  })

  test('an error says which option led to it, or where in the file it stands', () => {
    const compile = (flags: SpecFlags, from?: string) => {
      const given = specFromOptions(from, flags)
      return () => compileSpec(given.spec, given)
    }
    expect(compile({ ...problem, timeout: 5 })).toThrow(/^--timeout: spec.timeout does nothing for rosenbrock/)
    expect(compile({ function: 'rosenbrok' })).toThrow(/^--function: spec.objective .*did you mean rosenbrock/)
    expect(compile({ ...problem, solver: 'zo-adamm', learningRate: -1 })).toThrow(/^--solver: .*learningRate/)
    expect(compile({ ...problem, option: ['solver.x=1'] })).toThrow(/^--option: spec.solver has no option x/)
    writeFileSync(file, 'objective: rosenbrock\nmaxQuerys: 3\n')
    expect(compile({ dim: 2 }, file)).toThrow(/problem.yaml:2:1: .*maxQuerys.*did you mean maxQueries/)
  })
})

test('numbers are finite', () => {
  expect(number('-1e-3')).toBe(-0.001)
  for (const text of ['', ' ', 'x', 'NaN', 'Infinity', '1e999', '1,2']) expect(() => number(text)).toThrow('a number')
  expect(positiveNumber('0.5')).toBe(0.5)
  for (const text of ['0', '-1']) expect(() => positiveNumber(text)).toThrow('above 0')
})

test('whole numbers are whole and large enough', () => {
  expect(wholeNumber(1)('5000')).toBe(5000)
  expect(wholeNumber(1)('1e6')).toBe(1_000_000)
  expect(wholeNumber(1)('10_000')).toBe(10_000)
  for (const text of ['0', '-1', '1.5', 'x', '', '1e99', '0x10', '_', 'e5']) {
    expect(() => wholeNumber(1)(text), text).toThrow('a whole number of at least 1')
  }
})

test.each([
  ['500', 500],
  ['500ms', 500],
  ['1.5s', 1500],
  ['2m', 120_000],
  ['2 min', 120_000],
  ['1h', 3_600_000],
])('the time %s has %d ms', (text, value) => {
  expect(milliseconds(text)).toBe(value)
})

test('a time must be above 0 and have a known unit', () => {
  for (const text of ['0', '-1s', '3d', 's', '']) expect(() => milliseconds(text), text).toThrow('a time above 0')
})

test('bounds are two numbers for all variables, or a pair for each', () => {
  expect(bounds('-1,1')).toEqual([-1, 1])
  expect(bounds('-1:1')).toEqual([-1, 1])
  expect(bounds('-1:1,0:5,2:1e3')).toEqual([
    [-1, 0, 2],
    [1, 5, 1000],
  ])
  for (const text of ['1', '1,2,3', '1,x', ',', '1:2,3', '1:2:3', ':', '1:2,'])
    expect(() => bounds(text), text).toThrow(/number/)
})

test('a start is a number, numbers, or a file with a list of them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-start-'))
  const file = join(folder, 'x.json')
  try {
    expect(start('0.5')).toBe(0.5)
    expect(start('-1,2e3')).toEqual([-1, 2000])
    writeFileSync(file, '[1, -2.5]')
    expect(start(file)).toEqual([1, -2.5])
    writeFileSync(file, '{"a": 1}')
    expect(start(file)).toEqual({ a: 1 })
    writeFileSync(file, '["1"]')
    expect(() => start(file)).toThrow('must hold a JSON list of numbers')
    expect(() => start(join(folder, 'none'))).toThrow('numbers or a file with a JSON list: ENOENT')
    expect(() => start('1,,2')).toThrow('a number')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('options that may be repeated keep all that was given', () => {
  expect(collected('b', collected('a'))).toEqual(['a', 'b'])
  expect(jsonOrText('0.5')).toBe(0.5)
  expect(jsonOrText('{"a":[1]}')).toEqual({ a: [1] })
  expect(jsonOrText('zo-sgd')).toBe('zo-sgd')
})

test.each([
  ['python3 objective.py', ['python3', 'objective.py']],
  ['  a   b\tc\n', ['a', 'b', 'c']],
  [`sh -c 'echo "$HOME"; ls *'`, ['sh', '-c', 'echo "$HOME"; ls *']],
  [`a "b c" d"e f"g`, ['a', 'b c', 'de fg']],
  [`a '' ""`, ['a', '', '']],
  [`a\\ b "c\\"d" 'e\\f'`, ['a b', 'c"d', 'e\\f']],
])('%s', (text, words) => {
  expect(commandWords(text)).toEqual(words)
})

test('words with any characters arrive as they are when they are quoted', () => {
  const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (words) => {
      expect(commandWords(words.map(quoted).join(' '))).toEqual(words)
    }),
  )
})

test('no command and open quotes are errors', () => {
  expect(() => commandWords('  ')).toThrow('--exec must be a command, got nothing')
  expect(() => commandWords('a "b')).toThrow('--exec: the quote " is never closed in: a "b')
})

test('a start by name', () => {
  expect(start('rate=0.01,mode=fast')).toEqual({ rate: '0.01', mode: 'fast' })
  for (const text of ['rate=', '=1', 'rate=1,2', 'a=1=2']) expect(() => start(text), text).toThrow(/It must be/)
  expect(() => start('a=1,a=2')).toThrow('A name is given twice.')
})
