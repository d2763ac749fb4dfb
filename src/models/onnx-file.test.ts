import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linearGraph, linearNetwork } from '../../test/networks/linear-network.ts'
import { writeOnnx } from '../../test/networks/onnx-writer.ts'
import { bytesField, joined, numberField } from '../../test/networks/protobuf-writer.ts'
import { tinyNetwork } from '../../test/networks/tiny-network.ts'
import { ZerothError } from '../core/errors.ts'
import { checkOnnxFile } from './onnx-file.ts'

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

test('17 MB of weights are looked through in no time', () => {
  const weights = { name: 'w', sides: [1], values: new Float32Array(4_000_000) }
  const bytes = writeOnnx({ inputs: [], outputs: [], tensors: [weights], nodes: [] })
  const began = performance.now()
  check(bytes)
  expect(performance.now() - began).toBeLessThan(1000)
})
