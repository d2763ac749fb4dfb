import type { ModelMetadata } from '../../remote/model-metadata.ts'
import { elementCount, type TensorMetadata } from '../../remote/tensor.ts'

/** How points become the input of a served model, and where its answer is. */
export interface InputPlan {
  readonly input: string
  readonly datatype: 'FP64' | 'FP32'
  /** The output to ask for; undefined where the model does not list its outputs. */
  readonly output: string | undefined
  /** Points per request where the model takes no other number of them. */
  readonly fixedBatch: number | undefined
  /** The shape of so many points. */
  shape(count: number): number[]
}

/** What the user decided; the rest is up to what the server says. */
export interface InputChoice {
  readonly dim: number
  readonly input?: string | undefined
  readonly output?: string | undefined
  readonly datatype?: 'FP64' | 'FP32' | undefined
  readonly batchSize?: number | undefined
}

/** Plans requests by what the server says about its model; a sentence where that cannot work. */
export function inputPlan(metadata: ModelMetadata, choice: InputChoice): InputPlan | string {
  const input = chosen('input', metadata.inputs, choice.input)
  const output = chosen('output', metadata.outputs, choice.output)
  if (typeof input === 'string') return input
  if (typeof output === 'string') return output
  const name = choice.input ?? input?.name
  if (name === undefined) return 'does not list its inputs: give the name of one as the option input'
  const datatype = choice.datatype ?? input?.datatype ?? 'FP64'
  if (datatype !== 'FP64' && datatype !== 'FP32') {
    return `takes ${datatype} as input ${name}; points are sent as FP64 or FP32`
  }
  const room = roomIn(input?.shape ?? [-1, -1], choice.dim)
  if (room === undefined)
    return `takes the shape [${input?.shape}] as input ${name}, which ${choice.dim} variables do not fill`
  if (room.fixedBatch !== undefined && (choice.batchSize ?? Infinity) < room.fixedBatch) {
    return `takes ${room.fixedBatch} points at a time, but batchSize is ${choice.batchSize}: leave it out`
  }
  return { input: name, datatype, output: choice.output ?? output?.name, ...room }
}

/** The tensor of that name, or the only one; undefined where the server lists none. */
function chosen(
  kind: 'input' | 'output',
  listed: readonly TensorMetadata[],
  name: string | undefined,
): TensorMetadata | string | undefined {
  if (listed.length === 0) return undefined
  const found = name === undefined ? listed[0] : listed.find((each) => each.name === name)
  const names = listed.map((each) => each.name).join(', ')
  if (found === undefined) return `has no ${kind} ${name} (known: ${names})`
  if (name === undefined && listed.length > 1)
    return `has several ${kind}s: choose one of ${names} as the option ${kind}`
  return found
}

/** How a point of so many variables fits into a declared shape; without a second size there is no batch. */
function roomIn(shape: readonly number[], dim: number): Pick<InputPlan, 'fixedBatch' | 'shape'> | undefined {
  const [batch, ...sizes] = shape.length === 1 ? [1, ...shape] : shape
  const point = filled(sizes, dim)
  if (batch === undefined || batch === 0 || point === undefined) return undefined
  return {
    fixedBatch: batch === -1 ? undefined : batch,
    shape: (count) => (shape.length === 1 ? point : [count, ...point]),
  }
}

/** The sizes of one point, the one that may vary replaced by what is left for it. */
function filled(sizes: readonly number[], dim: number): number[] | undefined {
  const fixed = elementCount(sizes.filter((size) => size !== -1))
  const left = dim / fixed
  const varying = sizes.filter((size) => size === -1).length
  if (sizes.length === 0 || varying > 1 || !Number.isInteger(left) || (varying === 0 && left !== 1)) return undefined
  return sizes.map((size) => (size === -1 ? left : size))
}
