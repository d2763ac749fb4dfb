import { ZerothError } from '../core/errors.ts'
import { parseJson, shownReply } from './exact-json.ts'
import { datatypeOf, elementCount, numbersOfBytes, numbersOfJson, type Tensor, type TensorMetadata } from './tensor.ts'

/** What is wrong with a reply, as words that go behind the request's name. */
function oddReply(what: string, retryable = false): ZerothError {
  return new ZerothError('query-failed', what, { retryable })
}

/**
 * The tensors of a reply. The JSON object comes first, as long as `headerLength` says (all of the reply where there is
 * none); behind it the bytes of the outputs that have a `binary_data_size`, in their order. Nothing is taken on trust.
 */
export function readReply(
  bytes: Uint8Array,
  headerLength: string | null,
  wanted: readonly string[] | undefined,
): Tensor[] {
  const length = headerLength === null ? bytes.length : lengthOf(headerLength, bytes.length)
  const outputs = outputsOf(readObject(bytes.subarray(0, length)))
  const pieces = cut(bytes.subarray(length), outputs)
  const names = wanted ?? outputs.filter(({ datatype }) => datatypeOf(datatype) !== undefined).map(({ name }) => name)
  return names.map((name) => {
    const at = outputs.findIndex((output) => output.name === name)
    if (at < 0)
      throw oddReply(
        `has no output ${shownReply(name)} (got: ${outputs.map((each) => each.name).join(', ') || 'none'})`,
      )
    return tensorOf(outputs[at] as Output, pieces[at])
  })
}

/** The JSON object in these bytes. */
export function readObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = parseJson(new TextDecoder().decode(bytes))
  } catch {
    // It may have been cut off on its way.
    throw oddReply('is not JSON', true)
  }
  if (isObject(value)) return value
  throw oddReply(`is ${shownReply(value)} instead of an object`)
}

/** Whether a value read from JSON is an object. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Output {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
  readonly data: unknown
  /** Bytes behind the JSON object, where the numbers are there. */
  readonly size: number | undefined
}

function lengthOf(text: string, most: number): number {
  const length = Number(text)
  if (/^\d+$/.test(text.trim()) && length <= most) return length
  throw oddReply(`says that its JSON has ${shownReply(text)} bytes, the reply has ${most}`, length > most)
}

function outputsOf(reply: Record<string, unknown>): Output[] {
  const { outputs, error } = reply
  if (Array.isArray(outputs)) return outputs.map(outputOf)
  throw oddReply(`has no list of outputs${error === undefined ? '' : `; it says: ${shownReply(error)}`}`)
}

function outputOf(value: unknown, index: number): Output {
  const { name, datatype, shape, data, parameters } = isObject(value) ? value : {}
  if (typeof name !== 'string') throw oddReply(`has an output ${index} without a name`)
  if (typeof datatype !== 'string') throw oddReply(`has an output ${name} without a datatype`)
  if (!isShape(shape)) throw oddReply(`has an output ${name} whose shape is not a list of sizes`)
  const size = isObject(parameters) ? parameters.binary_data_size : undefined
  if (size !== undefined && !isSize(size)) throw oddReply(`has an output ${name} of ${shownReply(size)} bytes`)
  return { name, datatype, shape, data, size }
}

function isShape(shape: unknown): shape is number[] {
  return Array.isArray(shape) && shape.every(isSize) && isSize(elementCount(shape))
}

function isSize(size: unknown): size is number {
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0
}

/** The bytes of each output; together they are all there is. */
function cut(bytes: Uint8Array, outputs: readonly Output[]): (Uint8Array | undefined)[] {
  const announced = outputs.reduce((sum, { size = 0 }) => sum + size, 0)
  if (announced !== bytes.length) {
    // Fewer than announced were cut off on their way.
    throw oddReply(`announces ${announced} bytes of tensors and holds ${bytes.length}`, announced > bytes.length)
  }
  let offset = 0
  return outputs.map(({ size }) => {
    if (size === undefined) return undefined
    offset += size
    return bytes.subarray(offset - size, offset)
  })
}

function tensorOf({ name, datatype, shape, data }: Output, bytes: Uint8Array | undefined): Tensor {
  const known = datatypeOf(datatype)
  if (known === undefined)
    throw oddReply(`has an output ${name} of the datatype ${shownReply(datatype)}, which is none of numbers`)
  const count = elementCount(shape)
  if (bytes !== undefined && bytes.length !== count * known.size) {
    throw oddReply(`has ${bytes.length} bytes for output ${name} of ${datatype} with shape [${shape}]`)
  }
  const numbers = bytes === undefined ? numbersOfJson(data, known, count) : numbersOfBytes(bytes, known)
  if (typeof numbers === 'string') throw oddReply(`has an output ${name} that cannot be read: ${numbers}`)
  return { name, datatype, shape, data: numbers }
}

/** What a server says about itself. */
export interface ServerMetadata {
  readonly name: string
  readonly version: string
  readonly extensions: readonly string[]
}

/** What a server says about a model. */
export interface ModelMetadata {
  readonly name: string
  readonly versions: readonly string[]
  readonly platform: string
  readonly inputs: readonly TensorMetadata[]
  readonly outputs: readonly TensorMetadata[]
}

/** Reads the reply of a server about itself; what servers leave out is empty. */
export function serverMetadata(reply: Record<string, unknown>): ServerMetadata {
  const { name, version, extensions } = reply
  return { name: text(name), version: text(version), extensions: texts(extensions) }
}

/** Reads the reply of a server about a model; what servers leave out is empty. */
export function modelMetadata(reply: Record<string, unknown>): ModelMetadata {
  const { name, versions, platform, inputs, outputs } = reply
  return {
    name: text(name),
    versions: texts(versions),
    platform: text(platform),
    inputs: tensors(inputs, 'inputs'),
    outputs: tensors(outputs, 'outputs'),
  }
}

/** Sizes of a tensor at most: as many as NumPy has. */
const mostSizes = 64

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function tensors(value: unknown, field: string): TensorMetadata[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw oddReply(`has ${field} that are ${shownReply(value)} instead of a list`)
  return value.map((each, index) => tensor(each, `${field}[${index}]`))
}

function tensor(value: unknown, where: string): TensorMetadata {
  const { name, datatype, shape } = isObject(value) ? value : {}
  if (typeof name !== 'string' || typeof datatype !== 'string') {
    throw oddReply(`has ${where} without a name or without a datatype`)
  }
  if (Array.isArray(shape) && shape.length > mostSizes) {
    throw oddReply(`has ${where}.shape with ${shape.length} sizes; at most ${mostSizes} are supported`)
  }
  if (Array.isArray(shape) && shape.every(isDeclaredSize)) return { name, datatype, shape: shape.slice() }
  throw oddReply(`has ${where}.shape that is not a list of sizes (whole numbers, -1 where they vary)`)
}

function isDeclaredSize(size: unknown): boolean {
  return Number.isSafeInteger(size) && (size as number) >= -1
}
