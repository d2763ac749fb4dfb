import { isUnreached, ZerothError } from '../core/errors.ts'
import { floatsOfHalves, writeHalves } from '../core/half-precision.ts'
import { loadOptional, missingPackage } from '../core/optional-package.ts'
import type { NetworkInput } from './network-input.ts'
import { type Compute, type NetworkPlace, networkPlace, placeData } from './network-place.ts'
import type { NetworkValue } from './network-values.ts'
import { type OnnxProvider, prepareProviders, providerTrouble, sessionOptions } from './onnx-providers.ts'
import { imageSize, type TensorData, type TensorType } from './preprocessing.ts'

/** The runtime, whichever of its packages fits where we are. */
export type OnnxRuntime = typeof import('#onnxruntime')
export type OnnxSession = Awaited<ReturnType<OnnxRuntime['InferenceSession']['create']>>

/** Loads the runtime. */
export async function loadRuntime(): Promise<OnnxRuntime> {
  try {
    const runtime = await loadOptional('onnxruntime-node', () => import('#onnxruntime'))
    if (runtime === undefined) throw await missingPackage('an ONNX file', 'onnxruntime-node')
    // In a browser the number of threads is one setting for all sessions.
    runtime.env.wasm.numThreads ??= 1
    if ('node' in runtime.env.versions) keepHalvesAsBits(runtime)
    return runtime
  } catch (error) {
    if (error instanceof ZerothError) throw error
    throw new ZerothError('invalid-model', `onnxruntime cannot be loaded: ${firstLine(error)}`, { cause: error })
  }
}

/**
 * Has tensors of halves keep Uint16Array. Their first one decides for all: where there is a Float16Array, as in Node 24,
 * they become such, which onnxruntime-node cannot read (https://github.com/microsoft/onnxruntime/pull/32323).
 */
function keepHalvesAsBits({ Tensor }: OnnxRuntime): void {
  const kept = Object.getOwnPropertyDescriptor(globalThis, 'Float16Array')
  if (kept === undefined) return
  try {
    Reflect.deleteProperty(globalThis, 'Float16Array')
    new Tensor('float16', new Uint16Array(1), [1])
  } finally {
    Object.defineProperty(globalThis, 'Float16Array', kept)
  }
}

/** Which runtime this is, for the record. */
export function runtimeName({ env }: OnnxRuntime): string {
  const { node, web, common } = env.versions as { node?: string; web?: string; common: string }
  if (node !== undefined) return `onnxruntime-node ${node}`
  return web === undefined ? `onnxruntime ${common}` : `onnxruntime-web ${web}`
}

/** The name and version of the runtime that computes ONNX files here; rejects where it cannot be loaded. */
export async function onnxRuntimeVersion(): Promise<string> {
  return runtimeName(await loadRuntime())
}

/** Makes a session from the bytes of a file. */
export async function openSession(
  runtime: OnnxRuntime,
  bytes: Uint8Array,
  file: string,
  providers?: readonly OnnxProvider[],
): Promise<OnnxSession> {
  prepareProviders(runtime, providers)
  try {
    return await runtime.InferenceSession.create(bytes, sessionOptions(providers))
  } catch (error) {
    const message = firstLine(error)
    const why = providerTrouble(runtime, providers, message) ?? message
    throw new ZerothError('invalid-model', `onnxruntime cannot load ${file}: ${why}`, { cause: error })
  }
}

/** What a session says about its inputs or outputs. A side that is open has a name instead of a length. */
export function valuesOf(described: OnnxSession['inputMetadata']): NetworkValue[] {
  return described.map((each) =>
    each.isTensor
      ? {
          name: each.name,
          type: each.type,
          sides: each.shape.map((side) => (Number(side) > 0 ? Number(side) : undefined)),
        }
      : { name: each.name, type: 'no tensor', sides: [] },
  )
}

/** What an error says, without the lines that follow. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0] as string
}

/** What is run, and on what. */
export interface OnnxCall {
  readonly name: string
  readonly input: string
  /** The numbers of the memory that images are written into. */
  readonly type: TensorType
  /** Those of the input, which may be halves of float32 ones. */
  readonly sent: TensorType | 'float16'
  readonly output: string
  /** Whether its numbers are halves, too. */
  readonly hasHalves: boolean
  readonly images: NetworkInput
  readonly batch: number
  readonly providers?: readonly OnnxProvider[] | undefined
}

/** Runs a session in this thread. Its tensors are made once for each number of images, over the same memory. */
export function localPlace(runtime: OnnxRuntime, session: OnnxSession, call: OnnxCall): NetworkPlace {
  const { input, sent, output, images } = call
  const data = placeData(call)
  const room = sentRoom(call, data)
  const tensors = new Map<number, Tensor>()
  const tensorOf = (count: number): Tensor => {
    const part = room.subarray(0, count * imageSize(images.shape))
    const tensor = tensors.get(count) ?? (new runtime.Tensor(sent, part as never, images.sides(count)) as Tensor)
    tensors.set(count, tensor)
    return tensor
  }
  const compute = async (count: number) => {
    const results = await session.run({ [input]: tensorOf(count) }, [output])
    return results[output]?.data as ArrayLike<number>
  }
  return networkPlace(images, data, explained(call, inHalves(call, data, room, compute)))
}

/** Where the numbers of the input are: where images are written, or room for halves of them. */
export function sentRoom({ sent }: OnnxCall, data: TensorData, kind: 'plain' | 'shared' = 'plain') {
  if (sent !== 'float16') return data
  return new Uint16Array(kind === 'shared' ? new SharedArrayBuffer(2 * data.length) : new ArrayBuffer(2 * data.length))
}

/** Computes with images in half precision, if the network wants them so, and reads such scores. */
export function inHalves(
  { images, hasHalves }: OnnxCall,
  data: TensorData,
  room: TensorData | Uint16Array,
  compute: Compute,
): Compute {
  return async (count, signal) => {
    const length = count * imageSize(images.shape)
    if (room instanceof Uint16Array) writeHalves((data as Float32Array).subarray(0, length), room)
    const scores = await compute(count, signal)
    return hasHalves && scores instanceof Uint16Array ? floatsOfHalves(scores) : scores
  }
}

type Tensor = InstanceType<OnnxRuntime['Tensor']>

/** The same, with errors that name the file. */
export function explained({ name, images }: OnnxCall, compute: Compute): Compute {
  return async (count, signal) => {
    try {
      return await compute(count, signal)
    } catch (error) {
      const hint = count > 1 && images.fixedBatch === undefined ? ' (if it takes one at a time, set batch to 1)' : ''
      const what = `${name} failed on ${count === 1 ? 'one image' : `${count} images`}: ${firstLine(error)}${hint}`
      throw new ZerothError('query-failed', what, { cause: error, retryable: false, unreached: isUnreached(error) })
    }
  }
}
