import { type ElementType, type Graph, type GraphNode, type GraphTensor, writeOnnx } from './onnx-writer.ts'

/** How a network of one layer is made. */
interface LinearOptions {
  /** For each class one weight per value, in the order in which the network has them. */
  readonly weights: readonly (readonly number[])[]
  /** The sides of its input, 'N' or another name where one is open. */
  readonly sides: readonly (number | string)[]
  readonly type?: ElementType | undefined
  /** The sides of its output; the number of images, and the classes, if left out. */
  readonly outputSides?: readonly (number | string)[] | undefined
  readonly softmax?: boolean | undefined
  /** Gives the class with the highest sum instead: its number, as a whole number or as a float. */
  readonly answer?: 'int64' | 'float32' | undefined
  /** Gives the sums in half precision. */
  readonly halves?: boolean | undefined
  /** Says that the weights lie in this file. */
  readonly externalFile?: string | undefined
  /** Names of inputs and outputs beside the ones for images and scores. */
  readonly moreInputs?: readonly string[] | undefined
  readonly moreOutputs?: readonly string[] | undefined
}

/** A network that gives weighted sums of its inputs, in double precision where it is fed so. */
export function linearNetwork(options: LinearOptions): Uint8Array {
  return writeOnnx(linearGraph(options))
}

/** The same, not yet in bytes. */
export function linearGraph(options: LinearOptions): Graph {
  const { weights, sides, type = 'float32', softmax = false, moreInputs = [], moreOutputs = [] } = options
  const computed = type === 'float64' ? 'float64' : 'float32'
  const outputSides = options.outputSides ?? [typeof sides[0] === 'number' ? sides[0] : 'N', weights.length]
  const value = (name: string) =>
    ({ name, type: options.answer ?? (options.halves ? 'float16' : computed), sides: outputSides }) as const
  return {
    inputs: [
      { name: 'images', type, sides },
      ...moreInputs.map((name) => ({ name, type: computed, sides: [1] }) as const),
    ],
    outputs: [value('scores'), ...moreOutputs.map(value)],
    tensors: [weightTensor(weights, computed, options.externalFile)],
    nodes: [
      type === computed ? node('Identity', 'images', 'numbers') : cast('images', 'numbers'),
      node('Flatten', 'numbers', 'flat'),
      { op: 'MatMul', inputs: ['flat', 'weights'], outputs: ['sums'] },
      ...(options.answer === undefined
        ? [options.halves ? cast('sums', 'scores', 10) : node(softmax ? 'Softmax' : 'Identity', 'sums', 'scores')]
        : classNodes(options.answer, outputSides.length)),
      ...moreOutputs.map((name) => node('Identity', 'sums', name)),
    ],
  }
}

function weightTensor(
  weights: readonly (readonly number[])[],
  type: 'float32' | 'float64',
  externalFile: string | undefined,
): GraphTensor {
  const inputs = weights[0]?.length ?? 0
  const byInput = Array.from({ length: inputs }, (_, i) => weights.map((row) => row[i] as number)).flat()
  const values = type === 'float64' ? Float64Array.from(byInput) : Float32Array.from(byInput)
  return { name: 'weights', sides: [inputs, weights.length], values, externalFile }
}

/** From sums to the number of the highest, with a side of its own where the output has two. */
function classNodes(type: 'int64' | 'float32', sides: number): GraphNode[] {
  const attributes = { axis: 1, keepdims: sides - 1 }
  const highest = type === 'int64' ? 'scores' : 'class'
  const find: GraphNode = { op: 'ArgMax', inputs: ['sums'], outputs: [highest], attributes }
  return type === 'int64' ? [find] : [find, cast('class', 'scores')]
}

function node(op: string, input: string, output: string): GraphNode {
  return { op, inputs: [input], outputs: [output] }
}

/** Into numbers of a type, as ONNX counts them: float32, or half of that. */
function cast(input: string, output: string, to: 1 | 10 = 1): GraphNode {
  return { op: 'Cast', inputs: [input], outputs: [output], attributes: { to } }
}
