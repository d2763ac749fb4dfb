import { type GraphNode, type GraphTensor, writeOnnx } from './onnx-writer.ts'
import { randomWeights } from './random-weights.ts'

/** How a large network is made. */
interface MobileOptions {
  readonly batch?: number | undefined
  readonly classes?: number | undefined
  readonly seed?: number | undefined
}

/** Channels and stride of each block, after the table of Howard et al. (2017). */
const blocks: readonly (readonly [channels: number, stride: number])[] = [
  [64, 1],
  [128, 2],
  [128, 1],
  [256, 2],
  [256, 1],
  [512, 2],
  ...new Array<readonly [number, number]>(5).fill([512, 1]),
  [1024, 2],
  [1024, 1],
]

/** MobileNet V1 1.0 for 224x224 images, its normalisation folded into the weights, which are random: 17 MB of ONNX. */
export function mobileNetwork({ batch, classes = 1001, seed = 1 }: MobileOptions = {}): Uint8Array {
  const tensors: GraphTensor[] = [
    { name: 'zero', sides: [], values: new Float32Array([0]) },
    { name: 'six', sides: [], values: new Float32Array([6]) },
  ]
  const nodes: GraphNode[] = []

  /** A convolution with its bias, cut off at 0 and 6; returns the name of what comes out. */
  const convolve = (name: string, input: string, sides: readonly number[], stride: number, group = 1): string => {
    const [outputs = 0, inputs = 0, window = 0] = sides
    tensors.push(randomWeights(`${name} weights`, sides, inputs * window * window, seed))
    tensors.push(randomWeights(`${name} bias`, [outputs], 200, seed))
    const before = stride === 2 ? 0 : (window - 1) / 2
    const after = (window - 1) / 2
    const attributes = {
      group,
      kernel_shape: [window, window],
      strides: [stride, stride],
      pads: [before, before, after, after],
    }
    nodes.push({ op: 'Conv', inputs: [input, `${name} weights`, `${name} bias`], outputs: [`${name} sum`], attributes })
    nodes.push({ op: 'Clip', inputs: [`${name} sum`, 'zero', 'six'], outputs: [name] })
    return name
  }

  let at = convolve('first', 'images', [32, 3, 3, 3], 2)
  let channels = 32
  for (const [index, [wide, stride]] of blocks.entries()) {
    at = convolve(`depth ${index}`, at, [channels, 1, 3, 3], stride, channels)
    at = convolve(`point ${index}`, at, [wide, channels, 1, 1], 1)
    channels = wide
  }
  tensors.push(randomWeights('last weights', [channels, classes], channels, seed))
  nodes.push({ op: 'GlobalAveragePool', inputs: [at], outputs: ['mean'] })
  nodes.push({ op: 'Flatten', inputs: ['mean'], outputs: ['flat'], attributes: { axis: 1 } })
  nodes.push({ op: 'MatMul', inputs: ['flat', 'last weights'], outputs: ['scores'] })
  return writeOnnx({
    inputs: [{ name: 'images', type: 'float32', sides: [batch ?? 'N', 3, 224, 224] }],
    outputs: [{ name: 'scores', type: 'float32', sides: [batch ?? 'N', classes] }],
    tensors,
    nodes,
  })
}
