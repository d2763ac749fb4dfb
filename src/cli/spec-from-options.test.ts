import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { compileSpec } from '../spec/index.ts'
import { specFromOptions } from './spec-from-options.ts'
import type { SpecFlags } from './spec-options.ts'

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
    const flags = { ...problem, start: [1, 2, 3], seed: 7, maxQueries: 50, target: 0.5, failures: 'skip', log: true }
    expect(specOf(flags)).toEqual({
      objective: 'rosenbrock',
      dim: 3,
      start: [1, 2, 3],
      seed: 7,
      maxQueries: 50,
      target: 0.5,
      failures: 'skip',
      log: true,
    })
  })

  test('a program by its words, started here', () => {
    const { objective } = specOf({ exec: 'python3 "my objective.py"', dim: 2 })
    expect(objective).toEqual({ name: 'exec', command: ['python3', 'my objective.py'], cwd: process.cwd() })
  })

  test('a service and a module; the module in threads where it is timed or shared out', () => {
    expect(specOf({ http: 'http://localhost/f', dim: 2 }).objective).toEqual({
      name: 'http',
      url: 'http://localhost/f',
    })
    const module = resolve('f.js')
    expect(specOf({ module: 'f.js', dim: 2 }).objective).toEqual({ name: 'module', module })
    expect(specOf({ module: 'f.js#g', dim: 2, jobs: 3 }).objective).toEqual({
      name: 'workers',
      workers: 3,
      module,
      export: 'g',
    })
    expect(specOf({ module: 'f.js', dim: 2, timeout: 100 }).objective).toMatchObject({ name: 'workers', workers: 1 })
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
