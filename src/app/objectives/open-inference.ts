import { askInPieces, type Piece, recordFailures } from '../../optimizer/core/answers.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { count, filledText, join, oneOf, optional, table, withDefault } from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import type { Answers, ClosableObjective, Queries } from '../../optimizer/core/types.ts'
import { closable } from '../../optimizer/objectives/closable.ts'
import {
  type ModelMetadata,
  type OpenInferenceClient,
  openInferenceClient,
  openInferenceOptions,
} from '../../optimizer/remote/open-inference-client.ts'
import { elementCount, type Tensor, type TensorMetadata } from '../../optimizer/remote/tensor.ts'

/** A model on an inference server as a black box: it answers each point with one number. */
export const openInferenceObjective = definePart({
  kind: 'objective',
  name: 'open-inference',
  summary: 'A model on a server that speaks the Open Inference Protocol (KServe, Triton, OVMS, MLServer).',
  options: join(
    table({
      /** Number of variables. At least 1. */
      dim: count,
    }),
    openInferenceOptions,
    table({
      /** Name of the input; the only one if left out. */
      input: optional(filledText),
      /** Name of the output; the only one if left out. */
      output: optional(filledText),
      /** Numbers of the input; what the model declares if left out. */
      datatype: optional(oneOf('FP64', 'FP32')),
      /**
       * Points per request at most; all rows of an iteration, or what the model declares, if left out: a model that takes
       * more points at a time, and no other number of them, is refused.
       */
      batchSize: optional(count),
      /** Requests under way at once. */
      concurrency: withDefault(count, 1),
    }),
  ),
  examples: (dim) => [{ dim, url: 'http://127.0.0.1:8000', model: 'bowl' }],
  make(options): ClosableObjective {
    const { dim, batchSize, concurrency } = options
    const client = openInferenceClient(options, 'open-inference')
    let known: InputPlan | undefined

    const plan = async (signal: AbortSignal): Promise<InputPlan> => {
      const metadata = await client.metadata(signal).catch((problem: unknown) => {
        throw signal.aborted ? problem : unusable(problem)
      })
      const found = inputPlan(metadata, options)
      if (typeof found === 'string') throw unusable(client.error(`cannot be asked: the model ${found}`))
      return found
    }
    const evaluate = async (queries: Queries, into: Answers, stop: AbortController): Promise<void> => {
      const { signal } = stop
      const current = known ?? (await plan(signal))
      known = current
      const size = current.fixedBatch ?? batchSize ?? queries.rows
      const answer = async ({ first, count }: Piece): Promise<void> => {
        try {
          signal.throwIfAborted()
          const values = await valuesOf(client, current, queries, { first, count }, signal)
          for (let i = 0; i < count; i++) into.values[first + i] = Number(values[i])
        } catch (error) {
          recordFailures(into, first, count, error)
        }
      }
      await askInPieces({ rows: queries.rows, size, width: concurrency, stop }, into, answer)
    }
    const evaluateAll = (queries: Queries, into: Answers, stop: AbortController): Promise<void> =>
      evaluate(queries, into, stop).catch((error: unknown) => recordFailures(into, 0, queries.rows, error))
    const forget = (): void => {
      known = undefined
    }
    return { dim, ...closable(evaluateAll, forget) }
  },
})

/** A model that cannot be asked in this way, now or later, is no matter of single queries. */
function unusable(problem: unknown): unknown {
  if (!(problem instanceof ZerothError) || problem.retryable !== false) return problem
  return new ZerothError('invalid-objective', problem.message, { retryable: false })
}

/** Asks for some rows in one request. */
async function valuesOf(
  client: OpenInferenceClient,
  plan: InputPlan,
  queries: Queries,
  { first, count }: Piece,
  signal: AbortSignal,
): Promise<Tensor['data']> {
  const { dim } = queries
  const sent = plan.fixedBatch ?? count
  const data = plan.datatype === 'FP64' ? new Float64Array(sent * dim) : new Float32Array(sent * dim)
  for (let i = 0; i < count; i++) queries.write(first + i, data, i * dim)
  // A model of fixed batch size gets its full batch: the first point again, whose answers are not read.
  for (let i = count; i < sent; i++) data.copyWithin(i * dim, 0, dim)
  const input = { name: plan.input, datatype: plan.datatype, shape: plan.shape(sent), data }
  const outputs = await client.infer([input], {
    outputs: plan.output === undefined ? undefined : [plan.output],
    signal,
  })
  const [answer] = outputs
  if (answer === undefined || outputs.length > 1) {
    const names = outputs.map(({ name }) => name).join(', ') || 'none'
    throw client.error(`answered with several outputs or none: choose one as the option output (got: ${names})`)
  }
  if (answer.data.length === sent) return answer.data
  throw client.error(`answered ${sent} points with the shape [${answer.shape}]; one number each is needed`)
}

/** How points become the input of a served model, and where its answer is. */
interface InputPlan {
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
interface InputChoice {
  readonly dim: number
  readonly input?: string | undefined
  readonly output?: string | undefined
  readonly datatype?: 'FP64' | 'FP32' | undefined
  readonly batchSize?: number | undefined
}

/** Bytes of points in a request at most. */
const mostBytes = 2_147_483_647

/** Plans requests by what the server says about its model; a sentence where that cannot work. */
function inputPlan(metadata: ModelMetadata, choice: InputChoice): InputPlan | string {
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
  const bytes = (room.fixedBatch ?? 1) * choice.dim * (datatype === 'FP64' ? 8 : 4)
  if (bytes > mostBytes) {
    return `takes ${room.fixedBatch ?? 1} points at a time, ${bytes} bytes; at most ${mostBytes} are sent`
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
