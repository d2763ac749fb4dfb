import { show, ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { count, option, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { tested, text, wholeFrom } from '../core/schema.ts'
import { scoreKind } from './class-answers.ts'
import type { Model, ModelSource } from './model.ts'
import { fileOption, fileText, readFile, readSidecar, shownFile } from './model-file.ts'
import { networkInput } from './network-input.ts'
import { networkModel } from './network-model.ts'
import { batchWarnings } from './network-place.ts'
import { checkScores, chooseValue, networkWarnings, scoresPerImage } from './network-values.ts'
import { checkOnnxFile } from './onnx-file.ts'
import { type OnnxProvider, providersOption } from './onnx-providers.ts'
import {
  loadRuntime,
  localPlace,
  type OnnxRuntime,
  type OnnxSession,
  openSession,
  runtimeName,
  valuesOf,
} from './onnx-runtime.ts'
import { hasThreads, startThreads } from './onnx-threads.ts'
import {
  completePreprocessing,
  mergePreprocessing,
  type PreprocessingOption,
  preprocessingOption,
} from './preprocessing.ts'

const options = table({
  file: optional(fileOption, 'path or URL of the network, an .onnx file'),
  bytes: optional(
    tested<Uint8Array>((value) => value instanceof Uint8Array, 'must be a Uint8Array'),
    'the network itself, instead of a file',
  ),
  preprocessing: option(
    preprocessingOption,
    'what the network wants its images to be like; goes before what the file beside the network says',
    {},
  ),
  input: optional(text, 'which input takes the images, where there are several'),
  output: optional(text, 'which output gives the scores, where there are several'),
  batch: count(
    'images per call at most; a number fixed by the network goes before it, with a warning if it is larger',
    16,
  ),
  sessions: option(wholeFrom(1, 64), 'copies of the network at work at once, each in its own thread', 1),
  providers: providersOption,
})

type OnnxOptions = Output<typeof options>

/** Scores, or a class: networks that end with ArgMax give int64. */
const outputTypes = [
  'float32',
  'float16',
  'float64',
  'int64',
  'int32',
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'uint64',
] as const

/** A network in an ONNX file as a classifier, computed here by onnxruntime. */
export const onnxModel = definePart({
  kind: 'model',
  name: 'onnx',
  summary: 'A network in an ONNX file, computed here.',
  options,
  examples: () => [],
  make: (given): ModelSource => {
    if ((given.file === undefined) === (given.bytes === undefined)) {
      throw new ZerothError('invalid-option', 'onnx needs a file or the bytes of one: give one of the two')
    }
    return { open: () => open(given) }
  },
})

async function open(given: OnnxOptions): Promise<Model> {
  const { name, bytes, preprocessing } = await find(given)
  checkOnnxFile(bytes, name)
  const runtime = await loadRuntime()
  const session = await openSession(runtime, bytes, name, given.providers)
  try {
    return await modelOf(given, { name, bytes, preprocessing, runtime, session })
  } catch (error) {
    await session.release()
    throw error
  }
}

/** A network as it was found. */
interface Found {
  readonly name: string
  readonly bytes: Uint8Array
  readonly preprocessing: PreprocessingOption
}

async function find({ file, bytes, preprocessing }: OnnxOptions): Promise<Found> {
  if (file === undefined) return { name: 'the network given as bytes', bytes: bytes as Uint8Array, preprocessing }
  const path = fileText(file, 'onnx.file')
  const name = shownFile(path)
  const found = await readFile(path)
  if (found === undefined) throw new ZerothError('invalid-model', `there is no file ${name}`)
  return { name, bytes: found, preprocessing: mergePreprocessing(await readSidecar(path), preprocessing) }
}

/** A network in memory. */
interface Opened extends Found {
  readonly runtime: OnnxRuntime
  readonly session: OnnxSession
}

async function modelOf(given: OnnxOptions, { name, bytes, runtime, session, ...found }: Opened): Promise<Model> {
  const inputs = {
    kind: 'input',
    name: given.input,
    types: ['float32', 'float16', 'float64', 'uint8', 'int8'],
  } as const
  const outputs = { kind: 'output', name: given.output, types: outputTypes } as const
  const input = chooseValue(valuesOf(session.inputMetadata), inputs, name)
  const output = chooseValue(valuesOf(session.outputMetadata), outputs, name)
  const { type: sent } = input
  const type = sent === 'float16' ? 'float32' : sent
  const images = networkInput(input.sides, found.preprocessing, `${name}: the input ${show(input.name)}`)
  const plain = completePreprocessing(found.preprocessing, { ...images, type }, name)
  const batch = images.fixedBatch ?? given.batch
  const call = {
    name,
    input: input.name,
    type,
    sent,
    output: output.name,
    hasHalves: output.type === 'float16',
    images,
    batch,
    providers: given.providers,
  }
  const place = localPlace(runtime, session, call)
  const scores = scoresPerImage(output.sides, images.fixedBatch) ?? (await place.run(1)).length
  const where = `${name}: the output ${show(output.name)}`
  const isWhole = !output.type.startsWith('float')
  const kind = await scoreKind({ where, outputs: scores, isWhole, said: found.preprocessing.scores }, place, plain)
  const preprocessing = { ...plain, scores: kind }
  checkScores(scores, { ...found.preprocessing, scores: kind }, where)
  const threads = given.sessions > 1 && hasThreads() ? await startThreads(given.sessions, bytes, call) : undefined
  if (threads !== undefined) await session.release()
  const places = threads?.places ?? [place]
  return networkModel({
    name,
    preprocessing,
    type,
    outputs: scores,
    classes: found.preprocessing.classes,
    batch,
    runtime: `${runtimeName(runtime)}${sessionsText(places.length, given.providers)}`,
    warnings: [
      ...networkWarnings(type, scores, preprocessing),
      ...batchWarnings(images, given.batch),
      ...threadWarnings(given),
    ],
    places,
    release: () => threads?.close() ?? session.release(),
  })
}

/** What computes, for the record; a CPU that nobody asked for by name goes without saying. */
function sessionsText(count: number, providers: readonly OnnxProvider[] | undefined): string {
  const [first, ...rest] = providers ?? []
  const others = rest.length === 0 ? '' : ` (what it cannot compute: ${rest.join(', ')})`
  const on = first === undefined ? '' : ` on ${first}${others}`
  return `${on}, ${count === 1 ? 'one session' : `${count} sessions`} of one thread`
}

function threadWarnings({ sessions }: OnnxOptions): string[] {
  return sessions > 1 && !hasThreads() ? [`there are no threads here: one session is used instead of ${sessions}`] : []
}
