import { ZerothError } from '../core/errors.ts'
import type { NetworkInput } from './network-input.ts'
import { type Compute, imageSize, type NetworkPlace, networkPlace, placeData } from './network-place.ts'
import { firstLine, type OnnxRuntime, type OnnxSession } from './onnx-runtime.ts'
import type { TensorType } from './write-tensor.ts'

/** What is run, and on what. */
export interface OnnxCall {
  readonly name: string
  readonly input: string
  readonly type: TensorType
  readonly output: string
  readonly images: NetworkInput
  readonly batch: number
}

/** Runs a session in this thread. Its tensors are made once for each number of images, over the same memory. */
export function localPlace(runtime: OnnxRuntime, session: OnnxSession, call: OnnxCall): NetworkPlace {
  const { input, type, output, images } = call
  const data = placeData(call)
  const tensors = new Map<number, Tensor>()
  const tensorOf = (count: number): Tensor => {
    const part = data.subarray(0, count * imageSize(images.shape))
    const tensor = tensors.get(count) ?? (new runtime.Tensor(type, part as never, images.sides(count)) as Tensor)
    tensors.set(count, tensor)
    return tensor
  }
  const compute = async (count: number) => {
    const results = await session.run({ [input]: tensorOf(count) }, [output])
    return results[output]?.data as ArrayLike<number>
  }
  return networkPlace(images, data, explained(call, compute))
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
      throw new ZerothError('query-failed', what, { cause: error, retryable: false })
    }
  }
}
