import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linearGraph, linearNetwork } from '../../../test/networks/linear-network.ts'
import { mobileNetwork } from '../../../test/networks/mobile-network.ts'
import { writeOnnx } from '../../../test/networks/onnx-writer.ts'
import { bytesField, joined, numberField } from '../../../test/networks/protobuf-writer.ts'
import { tinyNetwork } from '../../../test/networks/tiny-network.ts'
import { send, startServer, type TestServer } from '../../../test/servers/server.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import type { Vector } from '../../optimizer/core/types.ts'
import type { Model } from './model.ts'
import { onnxModel } from './onnx.ts'
import { checkOnnxFile, declaredValues } from './onnx-file.ts'
import { loadRuntime, onnxRuntimeVersion, valuesOf } from './onnx-runtime.ts'
import type { PreprocessingOption } from './preprocessing.ts'

describe('onnx-file', () => {
  const plain = { weights: [[1, 2, 3, 4]], sides: ['N', 1, 2, 2] } as const
  const check = (bytes: Uint8Array) => checkOnnxFile(bytes, 'a.onnx')

  /** A model whose graph holds these fields. */
  function modelWith(...graph: Uint8Array[]): Uint8Array {
    return bytesField(7, joined(graph))
  }

  const external = joined([
    bytesField(8, 'w'),
    bytesField(13, joined([bytesField(1, 'location'), bytesField(2, 'w.bin')])),
  ])
  const externalByLocation = joined([bytesField(8, 'w'), numberField(14, 1)])

  describe('a file with all its weights inside', () => {
    test.each([
      ['a network', tinyNetwork()],
      ['a network in double precision', linearNetwork({ ...plain, type: 'float64' })],
      ['an empty graph', modelWith()],
      ['a tensor that says that its values are inside', modelWith(bytesField(5, numberField(14, 0)))],
      ['unknown fields and groups', joined([modelWith(), numberField(99, 3), Uint8Array.of(0x1b, 0x08, 0x01, 0x1c)])],
    ])('is accepted: %s', (_, bytes) => {
      expect(() => check(bytes)).not.toThrow()
    })
  })

  describe('external data is refused', () => {
    test('by name of the file, the tensor and the place', () => {
      expect(() => check(linearNetwork({ ...plain, externalFile: '../secret.bin' }))).toThrow(
        'a.onnx keeps the tensor "weights" in the file "../secret.bin": external data is not read; save the model as one file',
      )
    })

    const attribute = (field: number, content: Uint8Array) => bytesField(1, bytesField(5, bytesField(field, content)))
    test.each([
      ['a constant of a node', modelWith(attribute(5, external))],
      ['a list of constants', modelWith(attribute(10, external))],
      ['a graph inside a node', modelWith(attribute(6, bytesField(5, external)))],
      ['a list of graphs', modelWith(attribute(11, bytesField(5, external)))],
      ['a sparse tensor', modelWith(bytesField(15, bytesField(1, external)))],
      ['the indices of a sparse tensor', modelWith(bytesField(15, bytesField(2, external)))],
      ['a sparse constant', modelWith(attribute(22, bytesField(1, external)))],
      ['a list of sparse constants', modelWith(attribute(23, bytesField(1, external)))],
      ['a function', joined([modelWith(), bytesField(25, bytesField(7, bytesField(5, bytesField(5, external))))])],
      ['a graph for training', joined([modelWith(), bytesField(20, bytesField(1, bytesField(5, external)))])],
      ['a second graph, which readers merge', joined([modelWith(), modelWith(bytesField(5, external))])],
      ['a tensor that says only that its values are elsewhere', modelWith(bytesField(5, externalByLocation))],
    ])('in %s', (_, bytes) => {
      expect(() => check(bytes)).toThrow(/^a\.onnx keeps the tensor "w" in .*: external data is not read/)
    })

    test('in a graph inside a graph that the writer made', () => {
      const inner = linearGraph({ ...plain, externalFile: 'w.bin' })
      const node = { op: 'If', inputs: ['c'], outputs: ['x'], attributes: { then_branch: inner } }
      expect(() => check(writeOnnx({ inputs: [], outputs: [], tensors: [], nodes: [node] }))).toThrow('"w.bin"')
    })
  })

  describe('what is no ONNX file is refused', () => {
    const deep = Array.from({ length: 60 }).reduce<Uint8Array>(
      (inner) => bytesField(1, bytesField(5, bytesField(6, inner))),
      new Uint8Array(0),
    )
    test.each([
      ['nothing', new Uint8Array(0), 'it is empty'],
      ['text', new TextEncoder().encode('{"weights": []}'), /./],
      ['no graph', numberField(1, 8), 'it holds no graph'],
      ['a graph that is a number', numberField(7, 1), 'it holds no graph'],
      ['zeros', new Uint8Array(20), 'the field before byte 1 has an impossible number'],
      ['a long tag, whose high bits others drop', Uint8Array.of(0xba, 0x80, 0x80, 0x80, 0x10, 0), 'impossible number'],
      ['half a file', tinyNetwork().subarray(0, 5000), 'byte 20 announces'],
      ['an endless number', new Uint8Array(20).fill(255), 'longer than 10 bytes'],
      ['half a number', Uint8Array.of(0x08, 0x80), 'it ends in the middle of a number'],
      ['a wire type of its own', Uint8Array.of(0x0f), 'wire type 7'],
      ['an open group', Uint8Array.of(0x0b), 'a group never ends'],
      ['the end of no group', Uint8Array.of(0x0c), 'ends a group that never began'],
      ['graphs in graphs in graphs', bytesField(7, deep), 'nested more than 100 levels deep'],
      ['the ORT format', Uint8Array.of(28, 0, 0, 0, 79, 82, 84, 77, 0, 0), 'it is in the ORT format'],
    ])('%s', (_, bytes, why) => {
      expect(() => check(bytes)).toThrow(/^a\.onnx is not an ONNX file: .+$/)
      expect(() => check(bytes)).toThrow(why)
    })
  })

  test('random and damaged bytes give a one-line error or none, never anything else', () => {
    const sound = linearNetwork(plain)
    const damaged = fc
      .array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
      .map((changes) => changes.reduce((bytes, [at, value]) => bytes.with(at, value), sound))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), damaged), (bytes) => {
        try {
          check(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(ZerothError)
          expect((error as ZerothError).code).toBe('invalid-model')
          expect((error as ZerothError).message).toMatch(/^a\.onnx .+$/)
        }
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    ['one with sides of any length', tinyNetwork()],
    ['one in double precision', linearNetwork({ ...plain, type: 'float64' })],
    ['one of bytes', linearNetwork({ ...plain, type: 'uint8' })],
    ['a larger one', mobileNetwork()],
  ])('the inputs and outputs of a network are what onnxruntime says they are: %s', async (_, bytes) => {
    const runtime = await loadRuntime()
    const session = await runtime.InferenceSession.create(bytes)
    try {
      // As versions before 1.22 are: they have the names alone.
      const { inputNames, outputNames } = session
      const old = { inputNames, outputNames } as unknown as typeof session
      for (const kind of ['input', 'output'] as const) {
        const told = valuesOf(session, kind, () => ({ input: [], output: [] }))
        expect(told.length).toBe(1)
        expect(valuesOf(old, kind, () => declaredValues(bytes, 'a.onnx'))).toEqual(told)
      }
    } finally {
      await session.release()
    }
  })

  test('17 MB of weights are looked through', () => {
    const weights = { name: 'w', sides: [1], values: new Float32Array(4_000_000) }
    const bytes = writeOnnx({ inputs: [], outputs: [], tensors: [weights], nodes: [] })
    expect(() => check(bytes)).not.toThrow()
  })
})

describe('model-file', () => {
  const weights = [[1, 1, 1, 1], [1, 0, 0, 0]] // biome-ignore format: a matrix

  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'zeroth-sidecar-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** A network with this text in the file beside it. */
  function networkWith(name: string, text: string): { file: string; beside: string } {
    const [file, beside] = [join(folder, `${name}.onnx`), join(folder, `${name}.preprocessing.json`)]
    writeFileSync(file, linearNetwork({ weights, sides: ['N', 1, 2, 2] }))
    writeFileSync(beside, text)
    return { file, beside }
  }

  async function scoresOf(file: string, preprocessing?: PreprocessingOption): Promise<number[]> {
    const model = await onnxModel({ file, preprocessing }).open()
    const into = new Float64Array(2)
    await model.predict({ rows: 1, write: (_, to, offset = 0) => to.set([0.1, 0.2, 0.3, 0.4], offset) }, into)
    await model.close()
    return Array.from(into, (each) => Number(each.toFixed(5)))
  }

  test('the file beside a network says what it wants, and the option wins', async () => {
    const { file } = networkWith('sum', '{ "range": [0, 255], "mean": 51 }')
    expect(await scoresOf(file)).toEqual([255 - 4 * 51, 25.5 - 51])
    expect(await scoresOf(file, { mean: 0 })).toEqual([255, 25.5])
  })

  test('a bad file beside a network is refused by file and field', async () => {
    const bad = networkWith('bad', '{ "range": 255 }')
    await expect(scoresOf(bad.file)).rejects.toThrow(`${bad.beside}: preprocessing.range must be a list, got 255`)
    const broken = networkWith('broken', '{ range')
    await expect(scoresOf(broken.file)).rejects.toThrow(`${broken.beside} is not JSON: `)
  })

  test('a misspelt field, in the file or in the option, is refused with the right one', async () => {
    const typo = networkWith('typo', '{ "rnage": [0, 255] }')
    await expect(scoresOf(typo.file)).rejects.toThrow(
      `${typo.beside}: preprocessing has no option rnage; did you mean range?`,
    )
    const option = { rnage: [0, 255] } as PreprocessingOption
    await expect(scoresOf(typo.file, option)).rejects.toThrow(
      'onnx.preprocessing has no option rnage; did you mean range?',
    )
  })
})

const pixels = [0.1, 0.2, 0.3, 0.4]
const image = { rows: 1, write: (_: number, into: Vector, offset = 0) => into.set(pixels, offset) }
const sum = { weights: [[1, 1, 1, 1], [1, 0, 0, 0]], sides: ['N', 1, 2, 2] } as const // biome-ignore format: a matrix

/** The half next to a number between 0.0625 and 1. */
function half(value: number): number {
  const step = 2 ** (Math.floor(Math.log2(value)) - 10)
  return Math.round(value / step) * step
}

async function using<T>(model: Promise<Model>, use: (model: Model) => T | Promise<T>): Promise<T> {
  const opened = await model
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}

const scoresOf = async (model: Model) => {
  const into = new Float64Array(model.classes)
  await model.predict(image, into)
  return Array.from(into, (each) => Number(each.toFixed(5)))
}

const open = (network: Parameters<typeof linearNetwork>[0], options: object = {}) =>
  onnxModel({ bytes: linearNetwork(network), ...options }).open()

describe('pixels arrive as the network wants them', () => {
  test.each<[string, object, number[]]>([
    ['as they are', {}, [1, 0.1]],
    ['as bytes', { range: [0, 255] }, [255, 25.5]],
    ['from -1 to 1', { range: [-1, 1] }, [-2, -0.8]],
    ['normalised', { mean: 0.5, std: 0.25 }, [-4, -1.6]],
  ])('%s', async (_, preprocessing, expected) => {
    expect(await using(open(sum, { preprocessing }), scoresOf)).toEqual(expected)
  })

  test('as bytes, rounded, where it takes bytes, and that is said', async () => {
    const { scores, warnings } = await using(open({ ...sum, type: 'uint8' }), async (model) => ({
      scores: await scoresOf(model),
      warnings: model.warnings,
    }))
    expect(scores).toEqual([26 + 51 + 77 + 102, 26])
    expect(warnings).toEqual([expect.stringContaining('pixels are rounded to multiples of 1/255')])
  })

  test.each([
    ['images', 1, { type: 'float16' }, [0.1, 0.2, 0.3, 0.4].map(half), undefined],
    ['images, in two threads', 2, { type: 'float16' }, [0.1, 0.2, 0.3, 0.4].map(half), undefined],
    ['scores', 1, { halves: true }, pixels, half],
    ['images and scores, in two threads', 2, { type: 'float16', halves: true }, [0.1, 0.2, 0.3, 0.4].map(half), half],
  ] as const)('in half precision: %s', async (_, sessions, network, seen, round = Number) => {
    const into = new Float64Array(2)
    await using(open({ ...sum, ...network }, { sessions }), (model) => model.predict(image, into))
    const total = seen.reduce((all, each) => all + each, 0)
    expect(Array.from(into, (each) => each.toFixed(7))).toEqual(
      [total, seen[0] as number].map((each) => round(each).toFixed(7)),
    )
  })

  test.each([
    ['in a row', ['N', 4], ['N', 2]],
    ['in a row of its own', [1, 4], [1, 2]],
    ['grey without channels', ['N', 2, 2], ['N', 2]],
  ])('%s', async (_, sides, outputSides) => {
    const preprocessing = { shape: { channels: 1, height: 2, width: 2 } }
    expect(await using(open({ ...sum, sides, outputSides }, { preprocessing }), scoresOf)).toEqual([1, 0.1])
  })
})

describe('what is found out about a network', () => {
  test('its batch, where it is fixed, goes before the option, and that is said where it is more', async () => {
    const found = (batch: number | undefined, option: number) =>
      using(onnxModel({ bytes: tinyNetwork({ batch }), batch: option }).open(), (model) => [
        model.batch,
        ...model.warnings,
      ])
    expect(await found(4, 9)).toEqual([4])
    expect(await found(undefined, 9)).toEqual([9])
    expect(await found(4, 3)).toEqual([4, expect.stringContaining('4 images at a time, more than the 3 of the option')])
  })

  test('its classes, also where it does not say how many', async () => {
    const network = { ...sum, outputSides: ['N', 'classes'] }
    expect(await using(open(network), (model) => model.classes)).toBe(2)
  })

  test('the runtime, its sessions and their threads', async () => {
    const bytes = tinyNetwork()
    expect(await using(onnxModel({ bytes }).open(), (model) => model.runtime)).toMatch(
      /^onnxruntime-node \d+\.\d+\.\d+, one session of one thread$/,
    )
    expect(await using(onnxModel({ bytes, sessions: 2 }).open(), (model) => model.runtime)).toContain('2 sessions')
    expect(await onnxRuntimeVersion()).toMatch(/^onnxruntime-node \d/)
  })

  test('one of several outputs is chosen by name; an input that would stay empty is refused before anything is asked', async () => {
    const several = { ...sum, moreOutputs: ['other'] }
    expect(await using(open(several, { output: 'other' }), scoresOf)).toEqual([1, 0.1])
    await expect(open(several)).rejects.toThrow(
      'has 2 outputs (scores, other): choose one with the option output (--output)',
    )
    for (const options of [{}, { input: 'images' }]) {
      await expect(open({ ...sum, moreInputs: ['k'] }, options)).rejects.toThrow(
        'has 2 inputs (images, k), and only one can be fed with images: export it with the others fixed',
      )
    }
    await expect(open(sum, { input: 'k' })).rejects.toThrow('has no input k (its inputs: images)')
  })

  test('1001 scores look like ImageNet with a dummy class', async () => {
    const weights = Array.from({ length: 1001 }, () => [1, 1, 1, 1])
    const warnings = (labelOffset: number) =>
      using(open({ ...sum, weights }, { preprocessing: { labelOffset } }), (model) => model.warnings)
    expect(await warnings(0)).toEqual([expect.stringContaining('set preprocessing.labelOffset to 1')])
    expect(await warnings(1)).toEqual([])
  })
})

describe('what cannot be used is refused', () => {
  test('a huge batch', async () => {
    const opening = open({ ...sum, sides: [2 ** 40, 1, 2, 2] })
    const needs = 'with 1099511627776 images of 1x2x2 at a time needs 17592186044416 bytes; the limit is 2147483647'
    await expect(opening).rejects.toThrow(needs)
    await expect(opening).rejects.toMatchObject({ code: 'invalid-model' })
  })

  test.each<[string, object, object, string]>([
    ['an open size', { sides: ['N', 1, 'h', 'w'] }, {}, 'preprocessing.shape must say the size'],
    [
      'too few classes',
      {},
      { classes: 1 },
      'gives 2 scores per image, but preprocessing.classes says 1; set preprocessing.labelOffset to 1',
    ],
    ['too many dummies', {}, { labelOffset: 2 }, 'preprocessing.labelOffset 2 leaves none of them'],
    [
      'images of a terabyte',
      { sides: ['N', 3, 'h', 'w'] },
      { shape: { channels: 3, height: 300_000, width: 300_000 } },
      '16 images of 3x300000x300000 at a time needs',
    ],
    ['external data', { externalFile: 'w.bin' }, {}, 'external data is not read'],
  ])('%s', async (_, network, preprocessing, message) => {
    await expect(open({ ...sum, ...network }, { preprocessing })).rejects.toThrow(message)
  })

  test('neither a file nor bytes, or both', () => {
    expect(() => onnxModel({})).toThrow('onnx needs a file or the bytes of one')
    expect(() => onnxModel({ file: 'a.onnx', bytes: new Uint8Array(1) })).toThrow('give one of the two')
  })

  test('a network that onnxruntime cannot load, in one line', async () => {
    const bytes = linearNetwork(sum)
    const at = Buffer.from(bytes).indexOf('MatMul')
    bytes[at] = 'X'.charCodeAt(0)
    await expect(onnxModel({ bytes }).open()).rejects.toThrow(
      /^onnxruntime cannot load the network given as bytes: .*$/,
    )
  })
})

describe('files', () => {
  let folder: string
  let server: TestServer
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'zeroth-onnx-'))
    writeFileSync(join(folder, 'plain.onnx'), linearNetwork(sum))
    server = await startServer(({ path, headers }, reply) => {
      if (headers.authorization !== undefined && path.startsWith('/private.onnx'))
        return send(reply, 200, linearNetwork(sum))
      if (path === '/sum.onnx') return send(reply, 200, linearNetwork(sum))
      if (path === '/sum.preprocessing.json') return send(reply, 200, '{ "range": [0, 255] }')
      if (path === '/page.onnx') return send(reply, 200, linearNetwork(sum))
      if (path === '/page.preprocessing.json') return send(reply, 200, '<!doctype html>')
      return send(reply, path.startsWith('/busy.onnx') ? 503 : 404, 'not here')
    })
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await server.close()
  })

  test('are opened by path, by file URL and over HTTP', async () => {
    const file = join(folder, 'plain.onnx')
    expect(await using(onnxModel({ file }).open(), scoresOf)).toEqual([1, 0.1])
    expect(await using(onnxModel({ file: pathToFileURL(file) }).open(), scoresOf)).toEqual([1, 0.1])
    expect(await using(onnxModel({ file: pathToFileURL(file).href }).open(), scoresOf)).toEqual([1, 0.1])
    expect(await using(onnxModel({ file: `${server.url}/sum.onnx` }).open(), scoresOf)).toEqual([255, 25.5])
    expect(await using(onnxModel({ file: `${server.url}/page.onnx` }).open(), scoresOf)).toEqual([1, 0.1])
  })

  test('that are not there, or no files, are named', async () => {
    await expect(onnxModel({ file: join(folder, 'none.onnx') }).open()).rejects.toThrow(
      `there is no file ${join(folder, 'none.onnx')}`,
    )
    await expect(onnxModel({ file: folder }).open()).rejects.toThrow(`cannot read ${folder} (EISDIR)`)
    await expect(onnxModel({ file: `${server.url}/none.onnx` }).open()).rejects.toThrow('there is no file http')
    await expect(onnxModel({ file: `${server.url}/busy.onnx` }).open()).rejects.toThrow('answered 503: not here')
  })

  test('behind a password are opened, and the password is seen nowhere', async () => {
    const address = server.url.replace('http://', 'http://user:hunter22@')
    const source = onnxModel({ file: `${address}/private.onnx?key=swordfish`, preprocessing: {} })
    expect(await using(source.open(), scoresOf)).toEqual([1, 0.1])
    expect(JSON.stringify(source.origin)).not.toMatch(/hunter22|swordfish/)
    const { message } = await onnxModel({ file: `${address}/busy.onnx?key=swordfish` })
      .open()
      .then(
        () => expect.unreachable(),
        (error: ZerothError) => error,
      )
    expect(message).toBe(
      `cannot read ${server.url}/busy.onnx?key=...: GET ${server.url}/busy.onnx?key=... answered 503: not here`,
    )
  })

  test('with weights elsewhere never reach onnxruntime', async () => {
    const file = join(folder, 'external.onnx')
    writeFileSync(file, linearNetwork({ ...sum, externalFile: 'plain.onnx' }))
    await expect(onnxModel({ file }).open()).rejects.toThrow(
      `${file} keeps the tensor "weights" in the file "plain.onnx"`,
    )
  })
})

test('damaged files give a one-line error that names the file, or a model that answers', async () => {
  const sound = tinyNetwork()
  for (let trial = 0; trial < 60; trial++) {
    const bytes = sound.slice()
    for (let i = 0; i < 5; i++) bytes[(Math.imul(trial * 5 + i + 1, 2654435761) >>> 0) % 900] = (trial * 37 + i) & 255
    const error = await onnxModel({ bytes })
      .open()
      .then(
        (model) => model.close(),
        (problem: unknown) => problem as ZerothError,
      )
    if (error === undefined) continue
    expect(error).toBeInstanceOf(ZerothError)
    expect(error.message).toMatch(/^.*the network given as bytes.*$/)
  }
})

test('a network of the size of MobileNet is made on the spot and answers', async () => {
  const bytes = mobileNetwork()
  expect(bytes.length).toBeGreaterThan(16e6)
  await using(onnxModel({ bytes, preprocessing: { labelOffset: 1 } }).open(), async (model) => {
    expect(model.shape).toEqual({ channels: 3, height: 224, width: 224 })
    expect(model.classes).toBe(1000)
    const into = new Float32Array(1000)
    await model.predict({ rows: 1, write: (_, to, offset = 0) => to.fill(0.3, offset, offset + 150_528) }, into)
    expect(new Set(into).size).toBeGreaterThan(900)
  })
})
