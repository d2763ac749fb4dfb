import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { knowAllParts } from '../all-parts.ts'
import type { JsonObject } from '../plain-data.ts'
import { compileAttack, smoothedSolver } from './compile-attack.ts'
import { decaysWritten } from './resolved-attack.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-attack-spec-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

knowAllParts()

const resolved = async (spec: JsonObject): Promise<JsonObject> => (await compileAttack(spec, { folder })).resolved

test('a model alone says all: its own images, the strongest methods, and the settings of the paper', async () => {
  expect(await resolved({ model: 'digits' })).toEqual({
    model: { name: 'digits', batch: 16 },
    images: 'digits:held-out',
    solver: {
      name: 'strongest',
      nearer: {
        name: 'nearest-boundary',
        directions: 10,
        refinement: 40,
        smoothing: 0.005,
        feasible: false,
        firstStep: 0.002,
        growth: 1.2,
      },
    },
    problem: { name: 'constrained' },
    lambda: 10,
    kappa: 0,
    maxQueries: 11001,
    seed: 0,
    secondMethod: true,
    precision: 'float32',
    earlyStop: false,
    universal: false,
    failures: 'skip',
    permitted: false,
  })
})

test.each(['auto', { name: 'auto' }, 'strongest'])('%j means the strongest methods in an attack', async (solver) => {
  expect((await resolved({ model: 'digits', solver })).solver).toEqual((await resolved({ model: 'digits' })).solver)
})

test('options of other solvers are refused where none is named, with a word on what to do', async () => {
  for (const key of ['learningRate', 'directions', 'smoothing']) {
    await expect(resolved({ model: 'digits', [key]: 1 })).rejects.toThrow(
      `spec.${key} does nothing for strongest: it has no option ${key}; name a solver that has it, such as zo-adamm`,
    )
  }
})

test('whatever a file holds, it compiles or is refused in one line', async () => {
  const keys = ['model', 'images', 'solver', 'problem', 'target', 'learningRate', 'batch', 'preprocessing', 'rate', 'x']
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<JsonObject[string][]>('digits', 'cifar10:tuning', 'a.onnx', 'http://h/v2/models/m', 'zo-sgd', 0.5),
    fc.constantFrom<JsonObject[string][]>(
      { name: 'onnx', file: 'a' },
      { folder: { folder: 'a' } },
      { name: 'constrained' },
    ),
  )
  const spec = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 5 })
  let compiled = 0
  await fc.assert(
    fc.asyncProperty(spec, fc.boolean(), async (given, isDigits) => {
      try {
        await compileAttack({ ...(given as JsonObject), ...(isDigits ? { model: 'digits' } : {}) }, { folder })
        compiled++
      } catch (error) {
        expect(error).toBeInstanceOf(ZerothError)
        expect((error as Error).message).not.toMatch(/\n/)
      }
    }),
    { seed: 4, numRuns: 2000 },
  )
  expect(compiled).toBeGreaterThan(100)
})

test('what it resolves to resolves to itself', async () => {
  const specs: JsonObject[] = [
    { model: 'cifar10', solver: 'zo-scd', problem: 'unconstrained', target: 'next', learningRate: 0.3 },
    { model: 'net.onnx', images: 'photos', resize: 'stretch', linf: 0.1, l2: 2, batch: 4, jobs: 2 },
    { model: 'http://127.0.0.1:8000/v2/models/m/versions/2', images: 'photos', permitted: true },
  ]
  for (const spec of specs) expect(await resolved(await resolved(spec))).toEqual(await resolved(spec))
})

describe('short keys', () => {
  test('stand for options of the solver and of the problem, and go before them', async () => {
    const solver = { name: 'zo-sgd', learningRate: 1, directions: 3 }
    const { solver: made, problem } = await resolved({
      model: 'digits',
      solver,
      learningRate: 0.1,
      smoothing: 0.01,
      linf: 0.2,
    })
    expect(made).toMatchObject({ learningRate: { value: 0.1, decay: 'sqrt' }, directions: 3, smoothing: 0.01 })
    expect(problem).toEqual({ name: 'constrained', linf: 0.2 })
  })

  test.each(['zo-adamm', 'zo-sgd'])(
    'a bare learning rate of %s decays, and so do those of solvers inside another',
    async (name) => {
      const [decay, solver] = ['sqrt', { name, learningRate: 0.2 }]
      expect((await resolved({ model: 'digits', solver })).solver).toHaveProperty('learningRate', { value: 0.2, decay })
      const inside = (await resolved({ model: 'digits', solver: { name: 'two-phase', second: solver } })).solver
      expect(inside).toHaveProperty('second.learningRate', { value: 0.2, decay })
      const constant = { value: 0.2, decay: 'none' }
      expect((await resolved({ model: 'digits', solver: name, learningRate: constant })).solver).toHaveProperty(
        'learningRate',
        constant,
      )
    },
  )

  test('a learning rate of the solver is kept; one that nobody gave stays open', async () => {
    expect((await resolved({ model: 'digits', solver: { name: 'zo-sgd', learningRate: 1 } })).solver).toHaveProperty(
      'learningRate',
      { value: 1, decay: 'sqrt' },
    )
    expect((await resolved({ model: 'digits', solver: 'zo-sgd' })).solver).not.toHaveProperty('learningRate')
  })

  test('are errors where they would do nothing', async () => {
    await expect(resolved({ model: 'digits', problem: 'unconstrained', l2: 1 })).rejects.toThrow(
      'spec.l2 does nothing for unconstrained: it has no option l2',
    )
    await expect(resolved({ model: 'digits', modelName: 'm' })).rejects.toThrow(
      'spec.modelName does nothing for "digits"',
    )
    await expect(resolved({ model: 'digits', resize: 'none' })).rejects.toThrow(
      'spec.resize does nothing for "digits:held-out"',
    )
    await expect(resolved({ model: 'digits', preprocessing: { range: [0, 255] } })).rejects.toThrow(
      'which brings its own',
    )
    const shape = { channels: 1, height: 1, width: 1 }
    const linear = { name: 'linear', shape, weights: [[1], [2]] }
    await expect(resolved({ model: linear, images: 'a', jobs: 2 })).rejects.toThrow('spec.jobs does nothing for linear')
    await expect(resolved({ model: linear, images: 'a', batch: 2 })).rejects.toThrow(
      'spec.batch does nothing for linear',
    )
    await expect(resolved({ model: linear, images: 'a', providers: ['cuda'] })).rejects.toThrow(
      'spec.providers does nothing for linear',
    )
  })
})

describe('a model is', () => {
  test('a file, whose path begins in the folder of the spec', async () => {
    expect(
      (await resolved({ model: 'nets/a.onnx', images: 'digits', batch: 8, preprocessing: { range: [0, 255] } })).model,
    ).toEqual({
      name: 'onnx',
      file: join(folder, 'nets/a.onnx'),
      preprocessing: { range: [0, 255] },
      batch: 8,
    })
  })

  test('a file with several outputs, of which one is named beside it', async () => {
    expect((await resolved({ model: 'nets/a.onnx', images: 'digits', output: 'probabilities' })).model).toMatchObject({
      output: 'probabilities',
    })
    await expect(resolved({ model: 'digits', output: 'scores' })).rejects.toThrow('spec.output does nothing for digits')
  })

  test('a service that answers with names: those of the classes are its, too', async () => {
    const service = {
      name: 'http-classifier',
      url: 'http://h:1/',
      shape: { channels: 1, height: 28, width: 28 },
      classes: 2,
    }
    const given = { images: 'digits', classNames: ['dog', 'cat'] }
    expect((await resolved({ ...given, model: { ...service, classPath: 'label' } })).model).toMatchObject({
      classNames: ['dog', 'cat'],
    })
    expect((await resolved({ ...given, model: service })).model).not.toHaveProperty('classNames')
  })

  test('an address with the name of the model in it, or beside it', async () => {
    const served = { name: 'open-inference', url: 'http://h:8000/prefix', model: 'a b' }
    expect((await resolved({ model: 'http://h:8000/prefix/v2/models/a%20b', images: 'digits' })).model).toMatchObject(
      served,
    )
    expect((await resolved({ model: 'http://h:8000/prefix', modelName: 'a b', images: 'digits' })).model).toMatchObject(
      served,
    )
    expect((await resolved({ model: 'https://h/v2/models/m/versions/3/infer', images: 'digits' })).model).toMatchObject(
      {
        url: 'https://h',
        model: 'm',
        version: '3',
      },
    )
    await expect(resolved({ model: 'http://h:8000', images: 'digits' })).rejects.toThrow(
      'which model of http://h:8000 is meant?',
    )
    await expect(resolved({ model: 'http://h/v2/models/a', modelName: 'b', images: 'digits' })).rejects.toThrow(
      'spec.modelName is b, but the address of the model names a',
    )
    await expect(resolved({ model: 'http://[', images: 'digits' })).rejects.toThrow('is not a valid address')
  })

  test('a file that describes it; its paths begin where it is', async () => {
    writeFileSync(join(folder, 'model.yaml'), 'name: onnx\nfile: a.onnx\npreprocessing: { mean: 0.5 }\n')
    writeFileSync(join(folder, 'more.json'), '{"std": 2}')
    const spec = { model: join(folder, 'model.yaml'), preprocessing: join(folder, 'more.json'), images: 'digits' }
    expect((await compileAttack(spec, { folder: tmpdir() })).resolved.model).toMatchObject({
      file: join(folder, 'a.onnx'),
      preprocessing: { mean: 0.5, std: 2 },
    })
  })

  test('asked slowly and again where it is a service, and never with a secret that is written out', async () => {
    const shape = { channels: 1, height: 28, width: 28 }
    const http = { name: 'http', url: 'http://127.0.0.1/', shape, classes: 10 }
    const { isRemote, resolved: spec } = await compileAttack({ model: http, images: 'digits' })
    expect(isRemote).toBe(true)
    expect(spec).toMatchObject({ rate: 20, patience: 180, permitted: false, model: { name: 'http-classifier' } })
    expect(await resolved({ model: http, images: 'digits', rate: 5, retries: 0 })).toMatchObject({
      rate: 5,
      retries: 0,
    })
    const secret = { ...http, headers: { authorization: 'Bearer canary' } }
    await expect(resolved({ model: secret, images: 'digits' })).rejects.toThrow(
      'spec.model.headers.authorization must not be written',
    )
    await expect(resolved({ model: 'http://user:canary@h/v2/models/m', images: 'digits' })).rejects.toThrow(
      /^spec\.model must not hold a user or a password: (?!.*canary)/,
    )
    await expect(resolved({ model: 'http://h/v2/models/m?token=canary', images: 'digits' })).rejects.toThrow(
      'the parameter token',
    )
    expect(await compileAttack({ model: 'https://h/net.onnx', images: 'digits' })).toMatchObject({ isRemote: true })
    expect(await resolved({ model: 'https://h/net.onnx', images: 'digits' })).not.toHaveProperty('rate')
  })

  test.each([
    [{}, 'spec.model is required'],
    [{ model: 'cifar' }, 'did you mean cifar10?'],
    [{ model: { file: 'a.onnx' } }, 'spec.model must have a name'],
    [{ model: { name: 'tensorflow' } }, 'spec.model.name must be one of digits, cifar10, http-classifier'],
    [{ model: { name: 'digits', files: 1 } }, 'spec.model.files is not an option of digits'],
    [{ model: { name: 'onnx', fil: 'a.onnx' }, images: 'digits' }, 'spec.model has no option fil; did you mean file?'],
    [{ model: 'none.yaml' }, 'cannot read the spec: there is no such file'],
  ] as const)('%j: %s', async (spec, message) => {
    await expect(resolved(spec)).rejects.toThrow(message)
  })
})

describe('images are', () => {
  test('embedded ones, a folder, or files', async () => {
    const images = async (given: JsonObject[string]) => (await resolved({ model: 'digits', images: given })).images
    expect(await images('cifar10')).toBe('cifar10:held-out')
    expect(await images('digits:tuning')).toBe('digits:tuning')
    expect(await images('photos')).toEqual({
      folder: { folder: join(folder, 'photos'), cropFraction: 0.875, maxPixels: 50_000_000, fileColumn: 'file' },
    })
    expect(await images({ idx: { images: 'a', labels: '/b' } })).toEqual({
      idx: { images: join(folder, 'a'), labels: '/b' },
    })
    expect(await images({ cifar: { images: ['a.png', 'b.png'] } })).toEqual({
      cifar: { images: [join(folder, 'a.png'), join(folder, 'b.png')], size: 32 },
    })
  })

  test.each([
    [{ model: 'net.onnx' }, 'spec.images is required'],
    [{ model: 'digits', images: 'digits:test' }, 'spec.images must be digits:held-out or digits:tuning'],
    [{ model: 'digits', images: { folder: { folder: 'a', rezise: 'none' } } }, 'did you mean resize?'],
    [{ model: 'digits', images: { idx: {} } }, 'spec.images.idx.images is required'],
    [{ model: 'digits', images: {} }, 'spec.images must have one of folder, idx, cifar, got none'],
    [{ model: 'digits', failUnder: 2 }, 'spec.failUnder must be at most 1, got 2'],
    [{ model: 'digits', imges: 'digits' }, 'spec has no option imges; did you mean images?'],
  ] as const)('%j: %s', async (spec, message) => {
    await expect(resolved(spec)).rejects.toThrow(message)
  })
})

describe('what computes an ONNX file', () => {
  const net = { name: 'onnx', file: join(folder, 'net.onnx') }

  test('is recorded in its model, with larger batches on a graphics card', async () => {
    const { model } = await resolved({ model: 'net.onnx', images: 'digits', providers: ['cuda', 'cpu'] })
    expect(model).toMatchObject({ ...net, providers: ['cuda', 'cpu'], batch: 64 })
    expect((await resolved({ model: { ...net, providers: ['cuda'] }, images: 'digits' })).model).toMatchObject({
      batch: 64,
    })
    expect((await resolved({ model: { ...net, providers: ['cpu'] }, images: 'digits' })).model).toMatchObject({
      batch: 16,
    })
    expect(
      (await resolved({ model: 'net.onnx', images: 'digits', providers: ['cuda'], batch: 8 })).model,
    ).toMatchObject({
      batch: 8,
    })
  })

  test('is not mentioned where nothing is said about it', async () => {
    const { model, providers } = await resolved({ model: 'net.onnx', images: 'digits' })
    expect(model).not.toHaveProperty('providers')
    expect(providers).toBeUndefined()
  })

  test('computes embedded ones, too', async () => {
    expect((await resolved({ model: 'cifar10', providers: ['webgpu'] })).model).toEqual({
      name: 'cifar10',
      batch: 64,
      providers: ['webgpu'],
    })
  })

  test('has a name that is known', async () => {
    await expect(resolved({ model: 'net.onnx', images: 'digits', providers: ['gpu'] })).rejects.toThrow(
      'spec.providers.0 must be one of "cpu", "cuda"',
    )
  })
})

describe('an attack spec with a queue', () => {
  test('keeps the address and its options, and how many images are out at once', async () => {
    const { resolved } = await compileAttack({ model: 'digits', queue: 'redis://localhost:6379' })
    const queue = { url: 'redis://localhost:6379', name: 'default', prefix: 'zeroth', patience: 600_000 }
    expect(resolved).toMatchObject({ queue, parallel: 64 })
    expect((await compileAttack(resolved)).resolved).toEqual(resolved)
    expect((await compileAttack({ model: 'digits', queue: 'redis://h', parallel: 3 })).resolved.parallel).toBe(3)
    expect((await compileAttack({ model: 'digits' })).resolved).not.toHaveProperty('parallel')
  })

  test.each([
    [{ queue: 'redis://:secret-word@host' }, 'spec.queue.url must not hold a user or a password'],
    [{ queue: { url: { env: 'NO_SUCH_ADDRESS' } } }, 'the environment variable NO_SUCH_ADDRESS is not set'],
    [{ queue: 'https://host' }, 'must be an address like redis://host:6379'],
    [{ queue: { url: 'redis://host', rowsPerJob: 3 } }, 'spec.queue.rowsPerJob'],
    [{ queue: 'redis://host', universal: true }, 'spec.queue does nothing for universal attacks'],
  ])('refuses %j', async (keys, message) => {
    const compile = compileAttack({ model: 'digits', ...keys } as never)
    await expect(compile).rejects.toThrow(message)
    await expect(compile).rejects.not.toThrow('secret-word')
  })
})

test('the decay of a rate is written out once, inside other solvers, too', () => {
  const decaying = { value: 0.1, decay: 'sqrt' }
  const solver = { name: 'zo-adamm', learningRate: 0.1 }
  expect(decaysWritten(decaysWritten(solver))).toEqual({ name: 'zo-adamm', learningRate: decaying })
  expect(decaysWritten({ name: 'any', solvers: [solver] })).toEqual({
    name: 'any',
    solvers: [{ name: 'zo-adamm', learningRate: decaying }],
  })
})

test('a solver without smoothing of its own has that of the paper, one without the option has none; probes may leave the box', () => {
  expect(smoothedSolver('zo-adamm')).toEqual({ name: 'zo-adamm', smoothing: 0.005, feasible: false })
  expect(smoothedSolver({ name: 'zo-nes', smoothing: 0.1, learningRate: 3 })).toEqual({
    name: 'zo-nes',
    smoothing: 0.1,
    feasible: false,
    learningRate: 3,
  })
  expect(smoothedSolver('square')).toEqual({ name: 'square' })
})

test('solvers inside others do, too, whether they are given or usual', () => {
  expect(smoothedSolver({ name: 'two-phase', first: 'square', second: { name: 'zo-nes' } })).toEqual({
    name: 'two-phase',
    first: { name: 'square' },
    second: { name: 'zo-nes', smoothing: 0.005, feasible: false },
  })
  expect(smoothedSolver('two-phase')).toMatchObject({
    first: { name: 'simba', step: 0.5 },
    second: { name: 'nearest-boundary', smoothing: 0.005, feasible: false },
  })
  expect(smoothedSolver({ name: 'two-phase', second: { name: 'nearest-boundary', smoothing: 0.02 } })).toMatchObject({
    second: { name: 'nearest-boundary', smoothing: 0.02 },
  })
})

test('what is no solver is left to those who check it', () => {
  expect(smoothedSolver(3)).toBe(3)
  expect(smoothedSolver({ name: 'no-such' })).toEqual({ name: 'no-such' })
})
