import { isConnectionError, messageOf, show, ZerothError } from '../../optimizer/core/errors.ts'
import {
  count,
  filledText,
  integerFrom,
  join,
  listOf,
  type Output,
  oneOf,
  optional,
  table,
  withDefault,
} from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import {
  type OpenInferenceClient,
  openInferenceClient,
  openInferenceOptions,
} from '../../optimizer/remote/open-inference-client.ts'
import type { Tensor, TensorMetadata } from '../../optimizer/remote/tensor.ts'
import type { Model, ModelSource } from './model.ts'
import { batchWarnings, type Compute, networkModel, placeData, remotePlace, scoreKind } from './network-model.ts'
import {
  checkScores,
  chooseValue,
  completePreprocessing,
  imageSize,
  type NetworkValue,
  networkInput,
  networkWarnings,
  preprocessingOption,
  scoresPerImage,
} from './preprocessing.ts'

/** The numbers that a served network may take, as its server calls them. */
const types = { FP32: 'float32', FP16: 'float32', FP64: 'float64', UINT8: 'uint8', INT8: 'int8' } as const
const inputTypes = ['FP32', 'FP16', 'FP64', 'UINT8', 'INT8'] as const

/** Numbers that scores may be; whole ones are classes. */
const floats: readonly string[] = ['FP32', 'FP64', 'FP16']
const outputTypes = [...floats, 'INT64', 'INT32', 'INT16', 'INT8', 'UINT64', 'UINT32', 'UINT16', 'UINT8']

const options = join(
  openInferenceOptions,
  table({
    /** What the network wants its images to be like. Default {}. */
    preprocessing: withDefault(preprocessingOption, {}),
    /** Which input takes the images, where there are several. */
    input: optional(filledText),
    /** Which output gives the scores, where there are several. */
    output: optional(filledText),
    /** Sides of the input, -1 for those left open, where the server says nothing about it. */
    inputShape: optional(listOf(integerFrom(-1))),
    /** Numbers of the input, where the server says nothing. Default 'FP32'. */
    datatype: withDefault(oneOf(...inputTypes), 'FP32'),
    /**
     * Images per request at most; overridden by a batch size fixed in the network, with a warning if that is larger. At least
     * 1; default 16.
     */
    batch: withDefault(count, 16),
    /** Requests under way at once. */
    concurrency: withDefault(count, 1),
  }),
)

type Options = Output<typeof options>

/** A network on an inference server as a classifier. */
export const openInferenceModel = definePart({
  kind: 'model',
  name: 'open-inference',
  summary: 'A network on a server that speaks the Open Inference Protocol (KServe, Triton, OVMS, MLServer).',
  options,
  examples: () => [{ url: 'http://127.0.0.1:8000', model: 'digits' }],
  make: (given): ModelSource => ({
    async open() {
      const client = openInferenceClient(given, 'open-inference')
      try {
        return await modelOf(given, client)
      } catch (error) {
        client.close()
        throw error
      }
    },
  }),
})

async function modelOf(given: Options, client: OpenInferenceClient): Promise<Model> {
  const metadata = await client.metadata()
  const name = `the model ${given.model} at ${client.shown}`
  if (!(await client.ready())) throw new ZerothError('invalid-model', `${name} is not ready`)
  const input = inputOf(given, metadata.inputs, name)
  const output = outputOf(given, metadata.outputs, name)
  const type = types[input.type]
  const images = networkInput(input.sides, given.preprocessing, `${name}: the input ${show(input.name)}`)
  const plain = completePreprocessing(given.preprocessing, { ...images, type }, name)
  const batch = images.fixedBatch ?? given.batch
  const places = Array.from({ length: given.concurrency }, () => {
    const data = placeData({ name, type, images, batch }, 'kernels')
    const compute: Compute = async (count, signal) => {
      const part = data.subarray(0, count * imageSize(images.shape))
      const tensor = { name: input.name, datatype: input.type, shape: images.sides(count), data: part }
      const how = { outputs: output && [output.name], signal }
      const outputs = await whileReady(client, () => client.infer([tensor], how), signal)
      return scoresIn(outputs, count, client)
    }
    return remotePlace(images, data, compute)
  })
  const perImage = output && scoresPerImage(output.sides, images.fixedBatch, `${name}: the output ${show(output.name)}`)
  const scores = perImage ?? (await places[0]?.run(1))?.length ?? 0
  const isWhole = output !== undefined && !floats.includes(output.type)
  const kind = await scoreKind(
    { where: name, outputs: scores, isWhole, said: given.preprocessing.scores },
    places[0],
    plain,
  )
  const preprocessing = { ...plain, scores: kind }
  checkScores(scores, { ...given.preprocessing, scores: kind }, name)
  return networkModel({
    name,
    preprocessing,
    type,
    outputs: scores,
    classes: given.preprocessing.classes,
    batch,
    runtime: `${metadata.platform || 'a server'} at ${client.shown}`,
    warnings: [...networkWarnings(type, scores, preprocessing), ...batchWarnings(images, given.batch)],
    places,
    interrupt: client.close,
    release: async () => undefined,
  })
}

/**
 * Asks; what is refused is asked once more, as long as the model says that it is ready. A server that has just been started
 * may refuse with the very status that is meant for bad images: a refusal by a model that is not ready is none.
 */
async function whileReady<T>(
  client: OpenInferenceClient,
  ask: () => Promise<T>,
  signal: AbortSignal | undefined,
  mayAskAgain = true,
): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    signal?.throwIfAborted()
    if (isConnectionError(error)) throw error
    if (!(await client.ready(signal).catch(() => false))) {
      throw new ZerothError('query-failed', `${messageOf(error)} (the model is not ready)`, {
        cause: error,
        retryable: true,
      })
    }
    if (!mayAskAgain) throw error
    return whileReady(client, ask, signal, false)
  }
}

function inputOf(given: Options, described: readonly TensorMetadata[], name: string) {
  const wanted = { kind: 'input', name: given.input, types: inputTypes } as const
  if (described.length > 0) return chooseValue(described.map(declared), wanted, name)
  const { input, inputShape, datatype } = given
  if (input !== undefined && inputShape !== undefined) {
    return { ...declared({ name: input, datatype, shape: inputShape }), type: datatype }
  }
  throw new ZerothError('invalid-model', `${name} says nothing about its inputs: give the options input and inputShape`)
}

/** Undefined where the server says nothing: then its only output will do. */
function outputOf(given: Options, described: readonly TensorMetadata[], name: string): NetworkValue | undefined {
  const wanted = { kind: 'output', name: given.output, types: outputTypes } as const
  if (described.length > 0) return chooseValue(described.map(declared), wanted, name)
  return given.output === undefined ? undefined : { name: given.output, type: 'FP32', sides: [undefined, undefined] }
}

function declared({ name, datatype, shape }: TensorMetadata): NetworkValue {
  return { name, type: datatype, sides: shape.map((side) => (side > 0 ? side : undefined)) }
}

function scoresIn(outputs: readonly Tensor[], count: number, client: OpenInferenceClient): ArrayLike<number> {
  const [scores, ...more] = outputs
  if (scores === undefined || more.length > 0) {
    const names = outputs.map(({ name }) => name).join(', ') || 'none'
    throw client.error(`answered with several outputs or none: choose one with the option output (got: ${names})`)
  }
  if (scores.data instanceof Float32Array || scores.data instanceof Float64Array) return scores.data
  if (scores.datatype !== 'BOOL') return Float64Array.from(scores.data as ArrayLike<number | bigint>, Number)
  throw client.error(`answered ${count} images with ${scores.name} of shape [${scores.shape}], which are no numbers`)
}
