import { crewMember } from '../../optimizer/core/crew.ts'
import { isConnectionError, ZerothError } from '../../optimizer/core/errors.ts'
import { loadOptional, missingPackage } from '../../optimizer/core/optional-package.ts'
import { listOf, oneOf, optional, refine } from '../../optimizer/core/options.ts'
import { floatsOfHalves, writeHalves } from '../../optimizer/remote/tensor.ts'
import { type Compute, type NetworkPlace, networkPlace, placeData } from './network-model.ts'
import { imageSize, type NetworkInput, type NetworkValue, type TensorData, type TensorType } from './preprocessing.ts'

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

/**
 * What a session says about its inputs or outputs. A side that is open has a name instead of a length. Before version 1.22 it
 * knew only their names: then the file says the rest.
 */
export function valuesOf(
  session: OnnxSession,
  kind: 'input' | 'output',
  declared: () => Record<typeof kind, NetworkValue[]>,
): NetworkValue[] {
  const described: OnnxSession['inputMetadata'] | undefined = session[`${kind}Metadata`]
  if (described === undefined) return declared()[kind].filter(({ name }) => session[`${kind}Names`].includes(name))
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
function firstLine(error: unknown): string {
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
  const room = inputBuffer(call, data)
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
function inputBuffer({ sent }: OnnxCall, data: TensorData, kind: 'plain' | 'shared' = 'plain') {
  if (sent !== 'float16') return data
  return new Uint16Array(kind === 'shared' ? new SharedArrayBuffer(2 * data.length) : new ArrayBuffer(2 * data.length))
}

/** Computes with images in half precision, if the network wants them so, and reads such scores. */
function inHalves(
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
function explained({ name, images }: OnnxCall, compute: Compute): Compute {
  return async (count, signal) => {
    try {
      return await compute(count, signal)
    } catch (error) {
      const hint = count > 1 && images.fixedBatch === undefined ? ' (if it takes one at a time, set batch to 1)' : ''
      const what = `${name} failed on ${count === 1 ? 'one image' : `${count} images`}: ${firstLine(error)}${hint}`
      throw new ZerothError('query-failed', what, {
        cause: error,
        retryable: false,
        unreached: isConnectionError(error),
      })
    }
  }
}

/** What onnxruntime can compute with, where the build that is installed has it. */
const providerNames = ['cpu', 'cuda', 'tensorrt', 'coreml', 'dml', 'webgpu'] as const

/** What a network is computed with: an execution provider of onnxruntime. */
export type OnnxProvider = (typeof providerNames)[number]

/** Which providers compute a network; the CPU if left out. */
export const providersOption = /* @__PURE__ */ optional(
  refine(
    listOf(oneOf(...providerNames), 1),
    (names) => new Set(names).size === names.length,
    'must name each provider once',
  ),
)

/** Whether a network is computed by something else than the CPU. */
export function isAccelerated(providers: readonly string[] | undefined): boolean {
  return providers?.some((name) => name !== 'cpu') === true
}

/**
 * How sessions are opened. One thread each: several sessions make better use of several cores. What goes wrong is said by
 * us alone. Left to itself, onnxruntime gives the CPU whatever a provider cannot compute, and says nothing: unless the CPU
 * is among those named, opening fails instead.
 */
export function sessionOptions(providers: readonly OnnxProvider[] | undefined) {
  const named = providers ?? ['cpu']
  return {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 4,
    executionProviders: named,
    ...(named.includes('cpu') ? {} : { extra: { session: { disable_cpu_ep_fallback: '1' } } }),
  } as const
}

/** Refuses providers that the runtime does not know, and asks NVIDIA's libraries for full float32. */
export function prepareProviders(runtime: OnnxRuntime, providers: readonly OnnxProvider[] | undefined): void {
  if (providers === undefined) return
  const known = backendsOf(runtime)
  const missing = known && providers.find((name) => known.every((each) => each.name !== name))
  if (missing !== undefined) {
    const has = `the installed onnxruntime has ${availableText(runtime)}`
    throw new ZerothError('invalid-option', `onnx.providers: ${missing} is not available here: ${has}`)
  }
  // They compute in TF32 where nobody objects: numbers of 11 bits, whose rounding drowns the change that a probe makes.
  const { env } = globalThis.process ?? {}
  if (env !== undefined && providers.some((name) => installs[name])) env.NVIDIA_TF32_OVERRIDE ??= '0'
}

/** Providers whose libraries do not come with the package. */
const installs: Readonly<Record<string, true>> = { cuda: true, tensorrt: true }

/** Why a session could not be opened with the providers asked for, and what to do about it; undefined where they are not why. */
export function providerTrouble(
  runtime: OnnxRuntime,
  providers: readonly OnnxProvider[] | undefined,
  message: string,
): string | undefined {
  if (!isAccelerated(providers) || providers === undefined) return undefined
  const names = providers.filter((name) => name !== 'cpu')
  const text = names.join(', ')
  if (message.includes('assigned to the default CPU EP')) {
    const all = [...names, 'cpu'].join(', ')
    return `it has operators that ${text} cannot compute: providers: [${all}] leaves those to the CPU`
  }
  if (!/execution ?provider|shared library|adapter|provider|device/i.test(message)) return undefined
  const missing = names.filter((name) => installs[name])
  const install = 'npm install onnxruntime-node --onnxruntime-node-install=cuda12'
  const how = missing.length === 0 ? '' : `; the libraries of ${missing.join(' and ')} are installed with ${install}`
  return `${text} cannot be used here: ${message}${how}; this onnxruntime has ${availableText(runtime)}`
}

/** What a runtime says it can compute with; undefined in browsers, where it does not say. */
function backendsOf(runtime: OnnxRuntime): readonly Backend[] | undefined {
  const { listSupportedBackends } = runtime as { listSupportedBackends?: () => readonly Backend[] }
  return listSupportedBackends?.()
}

interface Backend {
  readonly name: string
  /** Whether its libraries come with the package. */
  readonly bundled: boolean
}

function availableText(runtime: OnnxRuntime): string {
  const known = backendsOf(runtime) ?? [{ name: 'cpu', bundled: true }]
  const bundled = known.filter((each) => each.bundled).map(({ name }) => name)
  const others = known.filter((each) => !each.bundled).map(({ name }) => name)
  return `${bundled.join(', ')}${others.length === 0 ? '' : `, and once installed ${others.join(', ')}`}`
}

/** Sessions in threads of their own. */
interface OnnxThreads {
  readonly places: readonly NetworkPlace[]
  close(): Promise<void>
}

/** Starts threads with a session each: onnxruntime-node computes in the thread that calls it, and blocks it. */
export async function startThreads(count: number, bytes: Uint8Array, call: OnnxCall): Promise<OnnxThreads> {
  const threads = Array.from({ length: count }, () => startThread(bytes, call))
  const close = async (): Promise<void> => {
    await Promise.all(threads.map((thread) => thread.close()))
  }
  try {
    await Promise.all(threads.map((thread) => thread.ready))
  } catch (error) {
    await close()
    const what = `${call.name} cannot be loaded in ${count} threads: ${firstLine(error)}`
    throw new ZerothError('invalid-model', what, { cause: error })
  }
  return { places: threads.map((thread) => thread.place), close }
}

/** Whether this is a place where threads can be started. */
export function hasThreads(): boolean {
  return globalThis.process?.getBuiltinModule?.('node:worker_threads') !== undefined
}

interface Thread {
  readonly place: NetworkPlace
  readonly ready: Promise<unknown>
  close(): Promise<void>
}

function startThread(bytes: Uint8Array, call: OnnxCall): Thread {
  const { input, output, sent, images } = call
  const data = placeData(call, sent === 'float16' ? 'plain' : 'shared')
  const shared = inputBuffer(call, data, 'shared')
  const settings = { runtime: runtimePath(), bytes, sessionOptions: sessionOptions(call.providers) }
  const worker = newWorker({ ...settings, shared, input, output, type: sent })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const member = crewMember<readonly number[], Float32Array>(worker, {
    // That a thread has ended says nothing about the images it was given.
    died: (reason) =>
      'error' in reason
        ? (reason.error as Error)
        : new ZerothError('query-failed', 'its thread has ended', { unreached: true }),
  })
  const compute = (count: number) => member.ask(images.sides(count))
  return {
    ready: member.ask([]),
    place: networkPlace(images, data, explained(call, inHalves(call, data, shared, compute))),
    async close() {
      worker.ref()
      worker.postMessage('close')
      await exited
    },
  }
}

function newWorker(workerData: object) {
  const { Worker } = globalThis.process.getBuiltinModule('node:worker_threads')
  return new Worker(threadCode, { eval: true, workerData })
}

function runtimePath(): string {
  return globalThis.process
    .getBuiltinModule('node:module')
    .createRequire(import.meta.url)
    .resolve('#onnxruntime')
}

/**
 * What a thread runs. Text, because a thread starts from a file or from text, and this library is not one file. The
 * images come in shared memory, which onnxruntime does not take.
 */
const threadCode = `
const { parentPort, workerData } = require('node:worker_threads')
const { runtime, bytes, sessionOptions, shared, input, output, type } = workerData
const { InferenceSession, Tensor } = require(runtime)
// The first tensor decides that those of halves are Uint16Array, which onnxruntime-node can read.
delete globalThis.Float16Array
const data = new shared.constructor(shared.length)
const opening = InferenceSession.create(bytes, sessionOptions)
opening.catch(() => undefined)
const answer = async (sides) => {
  const session = await opening
  // The first request only asks whether the session is open.
  if (sides.length === 0) return undefined
  const length = sides.reduce((product, side) => product * side, 1)
  data.set(shared.subarray(0, length))
  const results = await session.run({ [input]: new Tensor(type, data.subarray(0, length), sides) }, [output])
  return results[output].data
}
const close = () => opening.then((session) => session.release()).catch(() => undefined).finally(() => parentPort.close())
parentPort.on('message', (message) => {
  if (message === 'close') return close()
  const { call, request } = message
  answer(request).then(
    (answer) => parentPort.postMessage({ call, answer }),
    (error) => parentPort.postMessage({ call, error: { message: String(error?.message ?? error) } }),
  )
})
`
