import { ZerothError } from '../core/errors.ts'
import { choice, option, optional } from '../core/options.ts'
import { filledText } from '../core/schema.ts'
import {
  type Endpoint,
  type EndpointOptions,
  type EndpointReply,
  type EndpointRequest,
  endpoint,
  endpointOptions,
} from './endpoint.ts'
import {
  type ModelMetadata,
  modelMetadata,
  readObject,
  readReply,
  type ServerMetadata,
  serverMetadata,
} from './inference-reply.ts'
import { binaryRequest, checkInputs, jsonRequest } from './inference-request.ts'
import type { Tensor } from './tensor.ts'

/** Options of everything that asks a server which speaks the Open Inference Protocol. */
export const openInferenceOptions = {
  ...endpointOptions,
  model: option(filledText, 'name of the model on the server'),
  version: optional(filledText, "version of the model; the server's choice if left out"),
  encoding: choice(
    ['auto', 'binary', 'json'],
    'how numbers travel: as bytes, as JSON, or as bytes where the server takes them',
    'auto',
  ),
}

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
