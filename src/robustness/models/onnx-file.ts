import { show, ZerothError } from '../../optimizer/core/errors.ts'
import type { NetworkValue } from './preprocessing.ts'

/** The messages of an ONNX file that can hold weights: which field of each holds which message. */
const messages: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  model: { 7: 'graph', 20: 'training', 25: 'function' },
  training: { 1: 'graph', 2: 'graph' },
  graph: { 1: 'node', 5: 'tensor', 15: 'sparse' },
  function: { 7: 'node', 11: 'attribute' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph', 22: 'sparse', 23: 'sparse' },
  sparse: { 1: 'tensor', 2: 'tensor' },
}

const graphField = 7
const tensorFields = { name: 8, externalData: 13, dataLocation: 14 }
const entryFields = { key: 1, value: 2 }

/** Protobuf readers stop at this depth, too. */
const deepest = 100

/**
 * Refuses what is no ONNX file, and files whose weights lie elsewhere: a model must not make its reader open other files
 * of its choice.
 */
export function checkOnnxFile(bytes: Uint8Array, file: string): void {
  const { refuse, fieldsOf, textOf } = reader(bytes, file)
  let hasGraph = false

  const walk = (message: string, start: number, end: number, depth: number): void => {
    if (depth > deepest) refuse(`it is nested more than ${deepest} levels deep`)
    for (const field of fieldsOf({ start, end })) {
      const inner = messages[message]?.[field.number]
      if (inner === undefined || field.value !== undefined) continue
      if (message === 'model' && field.number === graphField) hasGraph = true
      if (inner === 'tensor') checkTensor(field)
      else walk(inner, field.start, field.end, depth + 1)
    }
  }

  const checkTensor = (tensor: ProtobufField): void => {
    let name = ''
    let location: string | undefined
    for (const field of fieldsOf(tensor)) {
      if (field.number === tensorFields.name) name = textOf(field)
      if (field.number === tensorFields.dataLocation && field.value !== 0) location ??= ''
      if (field.number === tensorFields.externalData) location = location || locationIn(field)
    }
    if (location === undefined) return
    const where = location === '' ? 'in another file' : `in the file ${show(location)}`
    throw new ZerothError(
      'invalid-model',
      `${file} keeps the tensor ${show(name)} ${where}: external data is not read; save the model as one file`,
    )
  }

  /** The value of an entry of external_data whose key is 'location'. */
  const locationIn = (entry: ProtobufField): string => {
    let key = ''
    let value = ''
    for (const field of fieldsOf(entry)) {
      if (field.number === entryFields.key) key = textOf(field)
      if (field.number === entryFields.value) value = textOf(field)
    }
    return key === 'location' ? value : ''
  }

  if (bytes.length === 0) refuse('it is empty')
  // The fifth to eighth byte mark the runtime's own format, which this walk cannot look through.
  if (textOf({ start: 4, end: 8 }) === 'ORTM') refuse('it is in the ORT format')
  walk('model', 0, bytes.length, 0)
  if (!hasGraph) refuse('it holds no graph')
}

/** What ONNX calls the types of numbers, by their places in its list; others are no tensor that a classifier could have. */
const elementTypes = [
  'undefined',
  'float32',
  'uint8',
  'int8',
  'uint16',
  'int16',
  'int32',
  'int64',
  'string',
  'bool',
  'float16',
  'float64',
  'uint32',
  'uint64',
] as const

const graphFields = { input: 11, output: 12 } as const
const valueFields = { name: 1, type: 2 }
const typeFields = { tensor: 1 }
const tensorTypeFields = { element: 1, shape: 2 }
const shapeFields = { side: 1 }
const sideFields = { length: 1 }

/** The inputs and outputs that a network declares, weights among its inputs included. */
export function declaredValues(bytes: Uint8Array, file: string): Record<'input' | 'output', NetworkValue[]> {
  const { fieldsOf, textOf } = reader(bytes, file)
  /** What is inside all fields of a message that have this number. */
  const inside = (message: Span, number: number): ProtobufField[] =>
    [...fieldsOf(message)].filter((field) => field.number === number)

  const sideOf = (side: Span): number | undefined => {
    const length = inside(side, sideFields.length).at(-1)?.value ?? 0
    return length > 0 ? length : undefined
  }
  const declaredValue = (declared: Span): NetworkValue => {
    const name = inside(declared, valueFields.name).map(textOf).at(-1) ?? ''
    const [tensor] = inside(declared, valueFields.type).flatMap((type) => inside(type, typeFields.tensor))
    if (tensor === undefined) return { name, type: 'no tensor', sides: [] }
    const element = inside(tensor, tensorTypeFields.element).at(-1)?.value ?? 0
    const sides = inside(tensor, tensorTypeFields.shape).flatMap((shape) => inside(shape, shapeFields.side))
    return { name, type: elementTypes[element] ?? 'no tensor', sides: sides.map(sideOf) }
  }
  const graphs = inside({ start: 0, end: bytes.length }, graphField)
  const all = (number: number): NetworkValue[] => graphs.flatMap((graph) => inside(graph, number)).map(declaredValue)
  return { input: all(graphFields.input), output: all(graphFields.output) }
}

/** What reads the messages of a file, and says what is wrong with it. */
function reader(bytes: Uint8Array, file: string) {
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-model', `${file} is not an ONNX file: ${why}`)
  }
  return {
    refuse,
    fieldsOf: ({ start, end }: Span) => protobufFields(bytes, start, end, refuse),
    textOf: ({ start, end }: Span) => new TextDecoder().decode(bytes.subarray(start, end)),
  }
}

/** A range of the bytes of a file. */
interface Span {
  readonly start: number
  readonly end: number
}

/** One field of a protobuf message: a number, or the range of bytes that is its content. */
interface ProtobufField extends Span {
  readonly number: number
  /** Undefined where the field is a range of bytes; 0 for numbers of fixed length, whose value is not needed here. */
  readonly value: number | undefined
}

/** A place in the bytes of a message, and how to say that they make no sense. */
interface Cursor {
  readonly bytes: Uint8Array
  readonly end: number
  readonly refuse: (why: string) => never
  at: number
}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 }
const tagLimit = 4294967296

/** The fields of the message between two places, one after the other. What lies inside a group is skipped. */
function* protobufFields(
  bytes: Uint8Array,
  start: number,
  end: number,
  refuse: (why: string) => never,
): Generator<ProtobufField> {
  const cursor: Cursor = { bytes, end, refuse, at: start }
  let groups = 0
  while (cursor.at < end) {
    const tag = varint(cursor)
    // Others drop the bits above the 32nd and would see another field than we do.
    if (tag < 8 || tag >= tagLimit) refuse(`the field before byte ${cursor.at} has an impossible number`)
    if (tag % 8 === wireTypes.groupStart) groups++
    else if (tag % 8 === wireTypes.groupEnd) groups--
    else {
      const field = content(cursor, Math.floor(tag / 8), tag % 8)
      if (groups === 0) yield field
    }
    if (groups < 0) refuse(`byte ${cursor.at - 1} ends a group that never began`)
  }
  if (groups > 0) refuse('a group never ends')
}

function content(cursor: Cursor, number: number, wireType: number): ProtobufField {
  if (wireType === wireTypes.varint) {
    const value = varint(cursor)
    return { number, value, start: cursor.at, end: cursor.at }
  }
  if (wireType === wireTypes.bytes) {
    const start = skip(cursor, varint(cursor))
    return { number, value: undefined, start, end: cursor.at }
  }
  if (wireType === wireTypes.fixed64) skip(cursor, 8)
  else if (wireType === wireTypes.fixed32) skip(cursor, 4)
  else cursor.refuse(`the field before byte ${cursor.at} has the wire type ${wireType}, which does not exist`)
  return { number, value: 0, start: cursor.at, end: cursor.at }
}

function varint(cursor: Cursor): number {
  let value = 0
  let factor = 1
  for (let length = 0; length < 10; length++) {
    if (cursor.at >= cursor.end) cursor.refuse('it ends in the middle of a number')
    const byte = cursor.bytes[cursor.at++] as number
    value += (byte & 127) * factor
    if (byte < 128) return value
    factor *= 128
  }
  return cursor.refuse(`the number before byte ${cursor.at} is longer than 10 bytes`)
}

function skip(cursor: Cursor, length: number): number {
  const { at, end } = cursor
  if (length > end - at) cursor.refuse(`byte ${at} announces ${length} bytes where ${end - at} are left`)
  cursor.at += length
  return at
}
