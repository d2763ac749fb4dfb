import { ZerothError } from '../core/errors.ts'
import { type NetworkPlace, networkPlace, placeData } from './network-place.ts'
import { sessionOptions } from './onnx-providers.ts'
import { explained, firstLine, inHalves, type OnnxCall, sentRoom } from './onnx-runtime.ts'

/** Sessions in threads of their own. */
export interface OnnxThreads {
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

/** What a thread says to a message. */
interface Reply {
  readonly scores?: Float32Array | Float64Array
  readonly error?: string
}

function startThread(bytes: Uint8Array, call: OnnxCall): Thread {
  const { input, output, sent, images } = call
  const data = placeData(call, sent === 'float16' ? 'plain' : 'shared')
  const shared = sentRoom(call, data, 'shared')
  const settings = { runtime: runtimePath(), bytes, sessionOptions: sessionOptions(call.providers) }
  const worker = newWorker({ ...settings, shared, input, output, type: sent })
  let ended: Error | undefined
  let settle: (reply: Reply) => void = () => undefined

  /** Asks something, nothing at first, and waits for the reply; only so long the thread keeps the program alive. */
  const ask = (message?: unknown) =>
    new Promise<Reply['scores']>((resolve, reject) => {
      if (ended !== undefined) return reject(ended)
      worker.ref()
      settle = ({ scores, error }) => {
        worker.unref()
        if (error === undefined) resolve(scores)
        else reject(ended ?? new Error(error))
      }
      if (message !== undefined) worker.postMessage(message)
    })

  const end = (error: Error) => {
    ended ??= error
    settle({ error: firstLine(ended) })
  }
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('message', (reply: Reply) => settle(reply))
  worker.on('error', end)
  // That says nothing about the images it was given.
  worker.on('exit', () => end(new ZerothError('query-failed', 'its thread has ended', { unreached: true })))

  const compute = async (count: number) => (await ask(images.sides(count))) as Float32Array
  return {
    ready: ask(),
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
const say = (error) => parentPort.postMessage({ error: String(error?.message ?? error) })
const opening = InferenceSession.create(bytes, sessionOptions)
opening.then(() => parentPort.postMessage({}), say)
parentPort.on('message', async (message) => {
  try {
    const session = await opening
    if (message === 'close') return await session.release()
    const length = message.reduce((product, side) => product * side, 1)
    data.set(shared.subarray(0, length))
    const results = await session.run({ [input]: new Tensor(type, data.subarray(0, length), message) }, [output])
    parentPort.postMessage({ scores: results[output].data })
  } catch (error) {
    say(error)
  } finally {
    if (message === 'close') parentPort.close()
  }
})
`
