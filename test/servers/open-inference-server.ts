import type { ServerResponse } from 'node:http'
import { floatsOfHalves, writeHalves } from '../../src/optimizer/remote/tensor.ts'
import { jsonOf } from './json-objective-server.ts'
import { type Received, send, startServer, type TestServer } from './server.ts'

/** A tensor as its declaration names it, with its numbers in a plain list. */
export interface ServedTensor {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
  readonly data: readonly number[]
}

/** A model to serve. */
export interface ServedModel {
  readonly versions?: readonly string[]
  readonly inputs: readonly Omit<ServedTensor, 'data'>[]
  readonly outputs: readonly Omit<ServedTensor, 'data'>[]
  /** Whether it says that it is ready; it does if left out. */
  ready?(): boolean
  /** Throws to refuse with status 400. */
  infer(inputs: readonly ServedTensor[], version: string | undefined): ServedTensor[] | Promise<ServedTensor[]>
}

/** How the server behaves. */
export interface ServerHabits {
  /** Understands binary tensors; true if left out. */
  readonly binary?: boolean
  /** What it says about its extensions; the truth if left out. */
  readonly extensions?: readonly string[] | null
  /** The status with which it refuses what it does not understand. */
  readonly refusal?: number
  /** Writes NaN as a bare word, as null, or as a string. */
  readonly nan?: 'bare' | 'null' | 'string'
}

/** A server that speaks version 2 of the Open Inference Protocol, binary tensors included. */
export function startOpenInferenceServer(
  models: Readonly<Record<string, ServedModel>>,
  habits: ServerHabits = {},
  port = 0,
): Promise<TestServer> {
  return startServer(async (request, reply) => {
    const [, name, version, action] =
      /^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?(?:\/(ready|infer))?$/.exec(request.path) ?? []
    if (name === undefined) return aboutServer(request.path, reply, habits)
    const model = models[decodeURIComponent(name)]
    if (model === undefined || (version !== undefined && model.versions?.includes(version) !== true)) {
      return json(reply, 404, { error: `no model ${name}` })
    }
    if (action === 'ready') return send(reply, model.ready?.() === false ? 400 : 200)
    if (action === 'infer') return infer(model, version, request, reply, habits)
    const { versions = [], inputs, outputs } = model
    return json(reply, 200, { name, versions, platform: 'stub', inputs, outputs })
  }, port)
}

function aboutServer(path: string, reply: ServerResponse, { binary = true, extensions }: ServerHabits): void {
  if (path === '/v2/health/live') return send(reply, 200)
  if (path !== '/v2') return json(reply, 404, { error: 'not found' })
  const truth = binary ? ['binary_tensor_data'] : []
  return json(reply, 200, {
    name: 'stub',
    version: '1',
    ...(extensions === null ? {} : { extensions: extensions ?? truth }),
  })
}

async function infer(
  model: ServedModel,
  version: string | undefined,
  { headers, body }: Received,
  reply: ServerResponse,
  { binary = true, refusal = 400, nan = 'string' }: ServerHabits,
): Promise<void> {
  const length = headers['inference-header-content-length']
  if (length !== undefined && !binary) return json(reply, refusal, { error: 'unexpected bytes' })
  try {
    const split = length === undefined ? body.length : Number(length)
    const asked = JSON.parse(body.subarray(0, split).toString()) as AskedFor
    const outputs = await model.infer(readInputs(asked, body.subarray(split)), version)
    const names = asked.outputs?.map((each) => each.name)
    const chosen = names === undefined ? outputs : outputs.filter((each) => names.includes(each.name))
    const asBytes =
      asked.parameters?.binary_data_output === true || asked.outputs?.[0]?.parameters?.binary_data === true
    return asBytes ? sendBinary(reply, chosen) : sendJson(reply, chosen, nan)
  } catch (error) {
    return json(reply, 400, { error: String(error) })
  }
}

interface AskedFor {
  readonly inputs: readonly (Omit<ServedTensor, 'data'> & {
    readonly data?: readonly unknown[]
    readonly parameters?: { readonly binary_data_size?: number }
  })[]
  readonly outputs?: readonly { readonly name: string; readonly parameters?: { readonly binary_data?: boolean } }[]
  readonly parameters?: { readonly binary_data_output?: boolean }
}

function readInputs({ inputs }: AskedFor, bytes: Buffer): ServedTensor[] {
  let offset = 0
  return inputs.map(({ name, datatype, shape, data, parameters }) => {
    const size = parameters?.binary_data_size
    if (size === undefined) return { name, datatype, shape, data: (data ?? []).map(Number) }
    offset += size
    return { name, datatype, shape, data: numbersIn(bytes.subarray(offset - size, offset), datatype) }
  })
}

const codecs: Readonly<
  Record<
    string,
    {
      size: number
      read: (from: DataView, at: number) => number
      write: (to: DataView, at: number, value: number) => void
    }
  >
> = {
  FP64: {
    size: 8,
    read: (from, at) => from.getFloat64(at, true),
    write: (to, at, value) => to.setFloat64(at, value, true),
  },
  FP32: {
    size: 4,
    read: (from, at) => from.getFloat32(at, true),
    write: (to, at, value) => to.setFloat32(at, value, true),
  },
  INT64: {
    size: 8,
    read: (from, at) => Number(from.getBigInt64(at, true)),
    write: (to, at, value) => to.setBigInt64(at, BigInt(value), true),
  },
  INT32: {
    size: 4,
    read: (from, at) => from.getInt32(at, true),
    write: (to, at, value) => to.setInt32(at, value, true),
  },
  INT16: {
    size: 2,
    read: (from, at) => from.getInt16(at, true),
    write: (to, at, value) => to.setInt16(at, value, true),
  },
  INT8: { size: 1, read: (from, at) => from.getInt8(at), write: (to, at, value) => to.setInt8(at, value) },
  UINT64: {
    size: 8,
    read: (from, at) => Number(from.getBigUint64(at, true)),
    write: (to, at, value) => to.setBigUint64(at, BigInt(value), true),
  },
  FP16: {
    size: 2,
    read: (from, at) => floatsOfHalves(Uint16Array.of(from.getUint16(at, true)))[0] as number,
    write(to, at, value) {
      const half = new Uint16Array(1)
      writeHalves(Float32Array.of(value), half)
      to.setUint16(at, half[0] as number, true)
    },
  },
  UINT32: {
    size: 4,
    read: (from, at) => from.getUint32(at, true),
    write: (to, at, value) => to.setUint32(at, value, true),
  },
  UINT16: {
    size: 2,
    read: (from, at) => from.getUint16(at, true),
    write: (to, at, value) => to.setUint16(at, value, true),
  },
  UINT8: { size: 1, read: (from, at) => from.getUint8(at), write: (to, at, value) => to.setUint8(at, value) },
  BOOL: { size: 1, read: (from, at) => from.getUint8(at), write: (to, at, value) => to.setUint8(at, value) },
}

function numbersIn(bytes: Buffer, datatype: string): number[] {
  const { size, read } = codecs[datatype] as (typeof codecs)[string]
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: bytes.length / size }, (_, i) => read(view, i * size))
}

function bytesOf({ datatype, data }: ServedTensor): Uint8Array {
  const { size, write } = codecs[datatype] as (typeof codecs)[string]
  const view = new DataView(new ArrayBuffer(data.length * size))
  data.forEach((value, i) => {
    write(view, i * size, value)
  })
  return new Uint8Array(view.buffer)
}

function sendBinary(reply: ServerResponse, outputs: readonly ServedTensor[]): void {
  const bytes = outputs.map(bytesOf)
  const described = outputs.map(({ name, datatype, shape }, i) => ({
    name,
    datatype,
    shape,
    parameters: { binary_data_size: bytes[i]?.length },
  }))
  const header = Buffer.from(JSON.stringify({ model_name: 'stub', outputs: described }))
  send(reply, 200, Buffer.concat([header, ...bytes]), {
    'content-type': 'application/octet-stream',
    'inference-header-content-length': String(header.length),
  })
}

function sendJson(reply: ServerResponse, outputs: readonly ServedTensor[], nan: 'bare' | 'null' | 'string'): void {
  const text = (value: number): string => {
    if (Number.isFinite(value) || nan === 'string') return jsonOf(value)
    return nan === 'bare' ? String(value) : 'null'
  }
  const tensors = outputs.map(({ data, ...rest }) => {
    const start = JSON.stringify(rest).slice(0, -1)
    return `${start},"data":[${data.map(text).join(',')}]}`
  })
  send(reply, 200, `{"outputs":[${tensors.join(',')}]}`, { 'content-type': 'application/json' })
}

function json(reply: ServerResponse, status: number, value: unknown): void {
  send(reply, status, JSON.stringify(value), { 'content-type': 'application/json' })
}
