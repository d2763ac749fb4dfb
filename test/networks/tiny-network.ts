import { type Graph, type GraphNode, writeOnnx } from './onnx-writer.ts'
import { randomWeights } from './random-weights.ts'

/** How a small network is made. */
interface TinyOptions {
  /** Images per call, where that is to be fixed. */
  readonly batch?: number | undefined
  readonly layout?: 'NCHW' | 'NHWC' | undefined
  /** Leaves height and width open. */
  readonly openSize?: boolean | undefined
  readonly seed?: number | undefined
}

/** A network for 28x28 grey images and ten classes, two convolutions deep, with random weights: 26 kB of ONNX. */
export function tinyNetwork(options: TinyOptions = {}): Uint8Array {
  return writeOnnx(tinyGraph(options))
}

/** The same, not yet in bytes. */
function tinyGraph({ batch, layout = 'NCHW', openSize = false, seed = 1 }: TinyOptions): Graph {
  const [height, width] = openSize ? ['height', 'width'] : [28, 28]
  const sides = layout === 'NCHW' ? [1, height, width] : [height, width, 1]
  const images = { name: 'images', type: 'float32', sides: [batch ?? 'N', ...sides] } as const
  return {
    inputs: [images],
    outputs: [{ name: 'scores', type: 'float32', sides: [batch ?? 'N', 10] }],
    tensors: [
      randomWeights('weights1', [8, 1, 5, 5], 25, seed),
      randomWeights('bias1', [8], 200, seed),
      randomWeights('weights2', [16, 8, 5, 5], 200, seed),
      randomWeights('bias2', [16], 200, seed),
      randomWeights('weights3', [256, 10], 256, seed),
      randomWeights('bias3', [1, 10], 200, seed),
    ],
    nodes: [...(layout === 'NCHW' ? rename : transpose), ...layers],
  }
}

const rename: readonly GraphNode[] = [{ op: 'Identity', inputs: ['images'], outputs: ['x'] }]
const transpose: readonly GraphNode[] = [
  { op: 'Transpose', inputs: ['images'], outputs: ['x'], attributes: { perm: [0, 3, 1, 2] } },
]

const layers: readonly GraphNode[] = [
  ...convolution('x', '1', 2),
  ...convolution('pool1', '2', 3),
  { op: 'Flatten', inputs: ['pool2'], outputs: ['flat'], attributes: { axis: 1 } },
  { op: 'MatMul', inputs: ['flat', 'weights3'], outputs: ['product'] },
  { op: 'Add', inputs: ['product', 'bias3'], outputs: ['scores'] },
]

function convolution(input: string, layer: string, pool: number): GraphNode[] {
  const weights = [`weights${layer}`, `bias${layer}`]
  const window = { kernel_shape: [5, 5], pads: [2, 2, 2, 2] }
  const pooling = { kernel_shape: [pool, pool], strides: [pool, pool] }
  return [
    { op: 'Conv', inputs: [input, ...weights], outputs: [`conv${layer}`], attributes: window },
    { op: 'Relu', inputs: [`conv${layer}`], outputs: [`relu${layer}`] },
    { op: 'MaxPool', inputs: [`relu${layer}`], outputs: [`pool${layer}`], attributes: pooling },
  ]
}
