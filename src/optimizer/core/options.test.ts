import { describe, expect, test } from 'vitest'
import { descent } from '../methods/descent.ts'
import { zoAdaMM, zoSGD } from '../methods/presets.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { coordinate, sphere } from '../parts/directions/basic.ts'
import { forward } from '../parts/estimators/differences.ts'
import { box } from '../parts/sets/boxes.ts'
import { plain } from '../parts/steps/basic.ts'
import { number, numbers, optional, parseOptions, table } from './options.ts'

const run = (options: object, start: unknown = [1, 2]) => minimizeSync(() => 1, start as number[], options)

describe('what is wrong is said by name, value and limit:', () => {
  test.each<[() => unknown, string]>([
    [() => zoSGD({ smoothing: 0 }), 'zo-sgd.smoothing must be above 0, got 0'],
    [() => zoSGD({ smoothing: -1 }), 'zo-sgd.smoothing must be above 0, got -1'],
    [() => zoSGD({ learningRate: { value: 0 } }), 'zo-sgd.learningRate.value must be above 0, got 0'],
    [
      () => zoSGD({ learningRate: { value: 1, decay: 'fast' as never } }),
      'zo-sgd.learningRate.decay must be one of "none", "sqrt", "linear", got "fast"',
    ],
    [
      () => zoSGD({ smoothing: Number.NaN }),
      'zo-sgd.smoothing must be a finite number, or must be an object, or must be a function of the iteration, got NaN',
    ],
    [
      () => zoSGD({ smoothing: 'small' as never }),
      'zo-sgd.smoothing must be a number, or must be an object, or must be a function of the iteration, got "small"',
    ],
    [() => zoSGD({ directions: 0 }), 'zo-sgd.directions must be at least 1, got 0'],
    [() => zoSGD({ directions: 2.5 }), 'zo-sgd.directions must be a whole number, got 2.5'],
    [() => zoSGD({ directions: '10' as never }), 'zo-sgd.directions must be a number, got "10"'],
    [() => zoSGD({ along: 3 as never }), 'zo-sgd.along must be directions, got 3'],
    [() => zoSGD({ along: plain() as never }), 'zo-sgd.along must be directions, got [object Object]'],
    [() => zoSGD({ along: sphere as never }), 'zo-sgd.along must be directions, got function make'],
    [() => zoSGD({ feasible: 1 as never }), 'zo-sgd.feasible must be a boolean, got 1'],
    [() => forward({} as never), 'forward.along must be directions, got undefined'],
    [() => descent({ step: plain() } as never), 'descent.estimator must be an estimator, got undefined'],
    [
      () => descent({ estimator: forward({ along: coordinate() }), step: sphere() as never }),
      'descent.step must be a step, got [object Object]',
    ],
    [() => zoAdaMM({ beta1: 1.01 }), 'zo-adamm.beta1 must be at most 1, got 1.01'],
    [
      () => zoAdaMM({ maxSecondMoment: 'yes' as never }),
      'zo-adamm.maxSecondMoment must be a boolean, or must be one of "metric-only", got "yes"',
    ],
    [() => run({ seed: -1 }), 'minimizeSync.seed must be at least 0, got -1'],
    [() => run({ seed: 1.5 }), 'minimizeSync.seed must be a whole number, got 1.5'],
    [() => run({ precision: 'half' }), 'minimizeSync.precision must be one of "float64", "float32", got "half"'],
    [
      () => run({ failures: 'ignore' }),
      'minimizeSync.failures must be one of "avoid", "stop", "skip", "worst", got "ignore"',
    ],
    [() => run({ maxQueries: 0 }), 'minimizeSync.maxQueries must be at least 1, got 0'],
    [() => run({ maxQueries: Infinity }), 'minimizeSync.maxQueries must be a finite number, got Infinity'],
    [() => run({ maxTime: 0 }), 'minimizeSync.maxTime must be above 0, got 0'],
    [() => run({ target: Number.NaN }), 'minimizeSync.target must be a finite number, got NaN'],
    [() => run({ solver: zoSGD }), 'minimizeSync.solver must be a solver, got function make'],
    [() => run({ solver: sphere() }), 'minimizeSync.solver must be a solver, got [object Object]'],
    [() => run({ set: zoSGD() }), 'minimizeSync.set must be a set, got [object Object]'],
    [() => run({ signal: {} }), 'minimizeSync.signal must be an AbortSignal, got [object Object]'],
    [() => run({ onIteration: 3 }), 'minimizeSync.onIteration must be a function, got 3'],
    [() => run(null as never), 'minimizeSync takes an options object, got null'],
    [() => run([]), 'minimizeSync takes an options object, got Array(0)'],
  ])('%s', (call, message) => {
    expect(call).toThrow(expect.objectContaining({ name: 'ZerothError', code: 'invalid-option', message }))
  })
})

describe('an unknown option', () => {
  test('suggests the nearest and lists the known ones', () => {
    expect(() => zoSGD({ learningrate: 1 } as never)).toThrow(
      expect.objectContaining({
        code: 'unknown-option',
        message:
          'zo-sgd has no option learningrate; did you mean learningRate? (known: learningRate, directions, samples, smoothing, feasible, along)',
      }),
    )
  })

  test('far from all of them suggests nothing', () => {
    expect(() => sphere({ temperature: 1 } as never)).toThrow('sphere has no option temperature (known: none)')
  })

  test('of a run is found, too', () => {
    expect(() => run({ maxQuery: 5 })).toThrow('minimizeSync has no option maxQuery; did you mean maxQueries? (known: ')
  })

  test('inside another option is found', () => {
    expect(() => zoSGD({ smoothing: { value: 1, decya: 'sqrt' } as never })).toThrow(
      'zo-sgd.smoothing has no option decya',
    )
  })

  test.each(['__proto__', 'constructor', 'prototype'])('called %s is refused', (name) => {
    expect(() => zoSGD(JSON.parse(`{ "${name}": 1 }`))).toThrow(`zo-sgd has no option ${name}`)
  })
})

describe('the start', () => {
  test.each<[unknown, string]>([
    [[1, Number.NaN], 'start[1] must be a finite number, got NaN'],
    [[Infinity], 'start[0] must be a finite number, got Infinity'],
    [['1'], 'start[0] must be a finite number, got "1"'],
    [[null], 'start[0] must be a finite number, got null'],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what this is about
    [[1, , 3], 'start[1] must be a finite number, got undefined'],
    [[], 'the start must be a list of numbers, at least one, got Array(0)'],
    [new Float64Array(0), 'the start must be a list of numbers, at least one, got Float64Array(0)'],
    [5, 'the start must be a list of numbers, at least one, got 5'],
    [undefined, 'the start must be a list of numbers, at least one, got undefined'],
    [null, 'the start must be a list of numbers, at least one, got null'],
    ['12', 'the start must be a list of numbers, at least one, got "12"'],
    [{ length: 1, 0: 1 }, 'the start must be a list of numbers, at least one, got [object Object]'],
    [new BigInt64Array(1), 'start[0] must be a finite number, got 0n'],
  ])('cannot be %o', (start, message) => {
    expect(() => minimizeSync(() => 1, start as never)).toThrow(
      expect.objectContaining({ code: 'invalid-start', message }),
    )
  })

  test('in float32 must fit into float32', () => {
    expect(() => run({ precision: 'float32' }, [1, 1e39])).toThrow('start[1] must fit into float32, got 1e+39')
    expect(run({ maxIterations: 1 }, [1, 1e39]).status).toBe('finished')
  })

  test('must have as many coordinates as the set', () => {
    expect(() => run({ set: box({ lower: [0, 0, 0] }) })).toThrow(
      'box.lower has 3 entries, but there are 2 coordinates',
    )
  })

  test.each([[[1, 2]], [Float64Array.of(1, 2)], [Float32Array.of(1, 2)], [Int8Array.of(1, 2)]])(
    'may be %o',
    (start) => {
      expect(run({ maxIterations: 0 }, start).point).toEqual(Float64Array.of(1, 2))
    },
  )
})

describe('a list of numbers', () => {
  const schema = table({ list: numbers })
  const parsed = (list: unknown) => parseOptions('owner', schema, { list }).list

  test('becomes a private float64 copy', () => {
    const list = [1, -Infinity]
    const copy = parsed(list)
    list[0] = 9
    expect(copy).toEqual(Float64Array.of(1, -Infinity))
    expect(parsed(Float32Array.of(0.5))).toEqual(Float64Array.of(0.5))
  })

  test.each([
    [[1, null], 'owner.list must hold numbers only (entry 1 is not one), got Array(2)'],
    [['1'], 'owner.list must hold numbers only (entry 0 is not one), got Array(1)'],
    [[true], 'owner.list must hold numbers only (entry 0 is not one), got Array(1)'],
    [[1, Number.NaN], 'owner.list must hold numbers only (entry 1 is not one), got Array(2)'],
    [new BigInt64Array(1), 'owner.list must hold numbers only (entry 0 is not one), got BigInt64Array(1)'],
    [3, 'owner.list must be a list of numbers, got 3'],
    [{ 0: 1, length: 1 }, 'owner.list must be a list of numbers, got [object Object]'],
  ])('takes nothing for a number that is none: %o', (list, message) => {
    expect(() => parsed(list)).toThrow(message)
  })
})

test('an unknown option inside an option gets the suggestion and the list of that place', () => {
  const schema = table({ outer: optional(table({ range: number, mean: number })) })
  expect(() => parseOptions('part', schema, { outer: { rnage: 1, mean: 2, range: 3 } })).toThrow(
    'part.outer has no option rnage; did you mean range? (known: range, mean)',
  )
})
