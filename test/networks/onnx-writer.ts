import { bytesField, joined, numberField } from './protobuf-writer.ts'

/** Numbers with their type. */
export type TensorValues = Float32Array | Float64Array | Uint8Array | BigInt64Array

/** A constant of a graph: weights, mostly. */
export interface GraphTensor {
  readonly name: string
  readonly sides: readonly number[]
  readonly values: TensorValues
  /** Says that the values lie in this file instead. */
  readonly externalFile?: string | undefined
}

/** What goes into a graph or comes out; a name instead of a length leaves that side open. */
export interface GraphValue {
  readonly name: string
  readonly type: ElementType
  readonly sides: readonly (number | string)[]
}

/** An operation. Attributes are whole numbers, lists of them, tensors or graphs. */
export interface GraphNode {
  readonly op: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes?: Readonly<Record<string, number | readonly number[] | GraphTensor | Graph>>
}

/** A network. */
export interface Graph {
  readonly inputs: readonly GraphValue[]
  readonly outputs: readonly GraphValue[]
  readonly tensors: readonly GraphTensor[]
  readonly nodes: readonly GraphNode[]
}

const elementTypes = { float32: 1, uint8: 2, int8: 3, int64: 7, float16: 10, float64: 11 }
export type ElementType = keyof typeof elementTypes
const attributeTypes = { int: 2, tensor: 4, graph: 5, ints: 7 }

/** A network as the bytes of an ONNX file. */
export function writeOnnx(graph: Graph): Uint8Array {
  const operators = joined([bytesField(1, ''), numberField(2, 13)])
  return joined([
    numberField(1, 8),
    bytesField(2, 'zeroth tests'),
    bytesField(7, graphBytes(graph)),
    bytesField(8, operators),
  ])
}

function graphBytes({ inputs, outputs, tensors, nodes }: Graph): Uint8Array {
  return joined([
    ...nodes.map((node) => bytesField(1, nodeBytes(node))),
    bytesField(2, 'network'),
    ...tensors.map((tensor) => bytesField(5, tensorBytes(tensor))),
    ...inputs.map((value) => bytesField(11, valueBytes(value))),
    ...outputs.map((value) => bytesField(12, valueBytes(value))),
  ])
}

function nodeBytes({ op, inputs, outputs, attributes = {} }: GraphNode): Uint8Array {
  return joined([
    ...inputs.map((name) => bytesField(1, name)),
    ...outputs.map((name) => bytesField(2, name)),
    bytesField(4, op),
    ...Object.entries(attributes).map(([name, value]) => bytesField(5, attributeBytes(name, value))),
  ])
}

function attributeBytes(name: string, value: number | readonly number[] | GraphTensor | Graph): Uint8Array {
  const typed = (type: number, fields: readonly Uint8Array[]) =>
    joined([bytesField(1, name), ...fields, numberField(20, type)])
  if (typeof value === 'number') return typed(attributeTypes.int, [numberField(3, value)])
  if ('values' in value && 'sides' in value) return typed(attributeTypes.tensor, [bytesField(5, tensorBytes(value))])
  if ('nodes' in value) return typed(attributeTypes.graph, [bytesField(6, graphBytes(value))])
  const numbers = value.map((each) => numberField(8, each))
  return typed(attributeTypes.ints, numbers)
}

function tensorBytes({ name, sides, values, externalFile }: GraphTensor): Uint8Array {
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const entry = joined([bytesField(1, 'location'), bytesField(2, externalFile ?? '')])
  const content = externalFile === undefined ? [bytesField(9, raw)] : [bytesField(13, entry), numberField(14, 1)]
  return joined([
    ...sides.map((side) => numberField(1, side)),
    numberField(2, elementTypes[elementTypeOf(values)]),
    bytesField(8, name),
    ...content,
  ])
}

function valueBytes({ name, type, sides }: GraphValue): Uint8Array {
  const dimension = (side: number | string) => (typeof side === 'number' ? numberField(1, side) : bytesField(2, side))
  const shape = joined(sides.map((side) => bytesField(1, dimension(side))))
  const tensor = joined([numberField(1, elementTypes[type]), bytesField(2, shape)])
  return joined([bytesField(1, name), bytesField(2, bytesField(1, tensor))])
}

function elementTypeOf(values: TensorValues): ElementType {
  if (values instanceof Float32Array) return 'float32'
  if (values instanceof Float64Array) return 'float64'
  return values instanceof Uint8Array ? 'uint8' : 'int64'
}
