import { ZerothError } from '../core/errors.ts'
import { exactJson, parseJson, shownReply } from '../core/exact-json.ts'
import {
  filledText,
  isObject,
  join,
  oneOf,
  optional,
  type ShapeOf,
  type Table,
  table,
  withDefault,
} from '../core/options.ts'
import {
  type Endpoint,
  type EndpointOptions,
  type EndpointReply,
  type EndpointRequest,
  endpoint,
  endpointOptions,
} from './endpoint.ts'
import {
  bytesOfNumbers,
  datatypeOf,
  elementCount,
  numbersOfBytes,
  numbersOfJson,
  type Tensor,
  type TensorMetadata,
  writeHalves,
} from './tensor.ts'

/** Options of everything that asks a server which speaks the Open Inference Protocol. */
const declared = join(
  endpointOptions,
  table({
    /** Name of the model on the server. */
    model: filledText,
    /** Version of the model; the server's choice if left out. */
    version: optional(filledText),
    /** How numbers travel: as bytes, as JSON, or as bytes where the server takes them. Default 'auto'. */
    encoding: withDefault(oneOf('auto', 'binary', 'json'), 'auto'),
  }),
)

export type OpenInferenceShape = ShapeOf<typeof declared>

/** Options of models on inference servers. */
export const openInferenceOptions: Table<OpenInferenceShape> = declared

/** Which model to ask, where and how. */
export interface OpenInferenceOptions extends EndpointOptions {
  readonly model: string
  readonly version?: string | undefined
  readonly encoding: 'auto' | 'binary' | 'json'
}

/** A model on a server that speaks the Open Inference Protocol, version 2 (KServe, Triton, OVMS, MLServer). */
export interface OpenInferenceClient {
  /** The server's address as it may appear in messages. */
  readonly shown: string
  /** Whether the server is up. */
  live(signal?: AbortSignal): Promise<boolean>
  /** Whether the model can be asked. */
  ready(signal?: AbortSignal): Promise<boolean>
  serverMetadata(signal?: AbortSignal): Promise<ServerMetadata>
  metadata(signal?: AbortSignal): Promise<ModelMetadata>
  /** Asks the model: all outputs that are numbers, or those named, in their order. */
  infer(inputs: readonly Tensor[], how?: InferOptions): Promise<Tensor[]>
  /** An error about this model's answer, for those who expected another. */
  error(what: string): ZerothError
  /** Ends every request under way and refuses later ones. */
  close(): void
}

/** What is wanted of an answer. */
export interface InferOptions {
  readonly outputs?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Statuses with which servers that know no binary tensors refuse them; some stumble over them with 500. */
const refusesBinary = [400, 405, 406, 411, 415, 422, 500, 501]

/** Connects to a model; nothing is asked before it is needed. */
export function openInferenceClient(options: OpenInferenceOptions, owner = 'open-inference'): OpenInferenceClient {
  const server = endpoint(options, owner)
  const version = options.version === undefined ? '' : `/versions/${encodeURIComponent(options.version)}`
  const model = `v2/models/${encodeURIComponent(options.model)}${version}`
  return {
    shown: server.shown,
    live: (signal) => isWell(server, get('v2/health/live', signal)),
    ready: (signal) => isWell(server, get(`${model}/ready`, signal)),
    serverMetadata: (signal) => described(server, get('v2', signal), serverMetadata),
    metadata: (signal) =>
      described(server, get(model, signal), modelMetadata).catch((problem: unknown) => {
        throw withHint(problem, server, owner)
      }),
    infer: inferrer(server, `${model}/infer`, options.encoding),
    error: (what) => server.error({ method: 'POST', path: `${model}/infer` }, what, { retryable: false }),
    close: server.close,
  }
}

function get(path: string, signal: AbortSignal | undefined): EndpointRequest {
  return { method: 'GET', path, signal }
}

async function isWell(server: Endpoint, request: EndpointRequest): Promise<boolean> {
  const { status } = await server.call({ ...request, anyStatus: true })
  return status >= 200 && status < 300
}

async function described<T>(
  server: Endpoint,
  request: EndpointRequest,
  read: (reply: Record<string, unknown>) => T,
): Promise<T> {
  const { bytes } = await server.call(request)
  return explained(server, request, bytes, () => read(readObject(bytes)))
}

/** What `read` returns; what it finds wrong with the reply becomes an error about the request. */
function explained<T>(server: Endpoint, request: EndpointRequest, bytes: Uint8Array, read: () => T): T {
  try {
    return read()
  } catch (problem) {
    const { message, retryable = false } = problem as Partial<ZerothError>
    // What may have been cut off on its way is no JSON at all.
    const said = retryable && bytes.length > 0 ? `: ${server.beginning(bytes)}` : ''
    throw server.error(request, `answered, but the reply ${message}${said}`, { retryable })
  }
}

/** Says so where the address probably is too long. */
function withHint(problem: unknown, { shown }: Endpoint, owner: string): unknown {
  const isTooLong = /\/v2(\/|$)/.test(shown)
  if (!isTooLong || !(problem instanceof ZerothError) || problem.retryable !== false) return problem
  const hint = `(${owner}.url must end before /v2, which is added to it)`
  return new ZerothError(problem.code, `${problem.message} ${hint}`, { retryable: false })
}

/** Asks a model in the encoding given, or in the one that its server turns out to take. */
function inferrer(
  server: Endpoint,
  path: string,
  given: OpenInferenceOptions['encoding'],
): OpenInferenceClient['infer'] {
  let encoding = given

  const post = (inputs: readonly Tensor[], how: InferOptions, as: 'binary' | 'json'): EndpointRequest => ({
    method: 'POST',
    path,
    signal: how.signal,
    ...(as === 'binary' ? binaryRequest(inputs, how.outputs) : jsonRequest(inputs, how.outputs)),
  })
  const tensors = (request: EndpointRequest, { headers, bytes }: EndpointReply, { outputs }: InferOptions): Tensor[] =>
    explained(server, request, bytes, () => readReply(bytes, headers.get('inference-header-content-length'), outputs))
  const inferAs = async (inputs: readonly Tensor[], how: InferOptions, as: 'binary' | 'json'): Promise<Tensor[]> => {
    const request = post(inputs, how, as)
    return tensors(request, await server.call(request), how)
  }

  /** Bytes first; where they are refused, JSON, and from then on what was understood. */
  const negotiate = async (inputs: readonly Tensor[], how: InferOptions): Promise<Tensor[]> => {
    const listed = await listsBinary(server, how.signal)
    if (listed === true) encoding = 'binary'
    const request = post(inputs, how, 'binary')
    const reply = await server.call({ ...request, anyStatus: true })
    if (reply.status < 300) {
      encoding = 'binary'
      return tensors(request, reply, how)
    }
    // Of a server that does not even say what it is, an error of its own is no statement about bytes.
    const stumbled = reply.status >= 500 && listed === undefined
    if (encoding === 'binary' || stumbled || !refusesBinary.includes(reply.status)) throw server.refusal(request, reply)
    const understood = await inferAs(inputs, how, 'json')
    encoding = 'json'
    return understood
  }

  return async (inputs, how = {}) => {
    checkInputs(inputs)
    return encoding === 'auto' ? negotiate(inputs, how) : inferAs(inputs, how, encoding)
  }
}

/** Whether the server says that it takes bytes; undefined where it says nothing of itself. */
async function listsBinary(server: Endpoint, signal: AbortSignal | undefined): Promise<boolean | undefined> {
  const known = await described(server, get('v2', signal), serverMetadata).catch(() => undefined)
  return known?.extensions.includes('binary_tensor_data')
}

/** What is posted to a model, with the headers that describe it. */
export interface InferenceRequest {
  readonly body: string | readonly Uint8Array[]
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request with the numbers as JSON lists. */
function jsonRequest(inputs: readonly Tensor[], outputs: readonly string[] | undefined): InferenceRequest {
  const body = exactJson({
    inputs: inputs.map(({ name, shape, datatype, data }) => ({
      name,
      shape,
      datatype,
      data: jsonData(datatype, data),
    })),
    outputs: outputs?.map((name) => ({ name })),
  })
  return { body, contentType: 'application/json', headers: {} }
}

/**
 * A request with the numbers as bytes behind a JSON header, after the binary tensor data extension. The numbers are not copied:
 * they must not change before the reply is there.
 */
function binaryRequest(inputs: readonly Tensor[], outputs: readonly string[] | undefined): InferenceRequest {
  const sent = inputs.map(({ datatype, data }) => bytesOfNumbers(datatype === 'FP16' ? halvesOf(data) : data))
  const header = exactJson({
    inputs: inputs.map(({ name, shape, datatype }, i) => ({
      name,
      shape,
      datatype,
      parameters: { binary_data_size: sent[i]?.byteLength },
    })),
    outputs: outputs?.map((name) => ({ name, parameters: { binary_data: true } })),
    parameters: outputs === undefined ? { binary_data_output: true } : undefined,
  })
  const pieces = [new TextEncoder().encode(header), ...sent]
  return {
    body: pieces,
    contentType: 'application/octet-stream',
    headers: { 'Inference-Header-Content-Length': String(pieces[0]?.length) },
  }
}

/** Refuses tensors whose numbers do not fill their shape or cannot be sent. */
function checkInputs(inputs: readonly Tensor[]): void {
  for (const { name, datatype, shape, data } of inputs) {
    const known = datatypeOf(datatype)
    if (known === undefined) throw new ZerothError('invalid-data', `input ${name}: ${datatype} cannot be sent`)
    const bytes = elementCount(shape) * known.make(0).BYTES_PER_ELEMENT
    if (data.byteLength === bytes) continue
    throw new ZerothError(
      'invalid-data',
      `input ${name} of ${datatype} with shape [${shape}] needs ${bytes} bytes, got ${data.byteLength}`,
    )
  }
}

function halvesOf(data: Tensor['data']): Uint16Array {
  const halves = new Uint16Array(data.length)
  writeHalves(data as Float32Array, halves)
  return halves
}

function jsonData(datatype: string, data: Tensor['data']): unknown {
  return datatype === 'BOOL' ? Array.from(data as Uint8Array, (each) => each !== 0) : data
}

/** What is wrong with a reply, as words that go behind the request's name. */
function oddReply(what: string, retryable = false): ZerothError {
  return new ZerothError('query-failed', what, { retryable })
}

/**
 * The tensors of a reply. The JSON object comes first, as long as `headerLength` says (all of the reply where there is
 * none); behind it the bytes of the outputs that have a `binary_data_size`, in their order. Nothing is taken on trust.
 */
function readReply(bytes: Uint8Array, headerLength: string | null, wanted: readonly string[] | undefined): Tensor[] {
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
function readObject(bytes: Uint8Array): Record<string, unknown> {
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
function serverMetadata(reply: Record<string, unknown>): ServerMetadata {
  const { name, version, extensions } = reply
  return { name: text(name), version: text(version), extensions: texts(extensions) }
}

/** Reads the reply of a server about a model; what servers leave out is empty. */
function modelMetadata(reply: Record<string, unknown>): ModelMetadata {
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
