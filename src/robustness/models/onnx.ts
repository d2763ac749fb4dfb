import { show, ZerothError } from '../../optimizer/core/errors.ts'
import {
  count,
  custom,
  filledText,
  integerFrom,
  mapped,
  noted,
  type Output,
  optional,
  parseOptions,
  table,
  text,
  union,
  withDefault,
} from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import { endpoint } from '../../optimizer/remote/endpoint.ts'
import { hideSecret, resolveSecret, type SecretSource } from '../../optimizer/remote/secret.ts'
import { isHttp, parsedUrl, shownUrl } from '../../optimizer/remote/url.ts'
import type { Model, ModelSource } from './model.ts'
import { batchWarnings, networkModel, scoreKind } from './network-model.ts'
import { checkOnnxFile, declaredValues } from './onnx-file.ts'
import {
  hasThreads,
  loadRuntime,
  localPlace,
  type OnnxProvider,
  type OnnxRuntime,
  type OnnxSession,
  openSession,
  providersOption,
  runtimeName,
  startThreads,
  valuesOf,
} from './onnx-runtime.ts'
import {
  checkScores,
  chooseValue,
  completePreprocessing,
  mergePreprocessing,
  networkInput,
  networkWarnings,
  type PreprocessingOption,
  preprocessingOption,
  scoresPerImage,
} from './preprocessing.ts'

/** No ONNX file is larger: protobuf knows no longer messages. */
const mostBytes = 2_147_483_647

/** A file by its path or URL. A URL that holds credentials is kept out of sight. */
export const fileOption = noted(
  mapped(
    union(
      filledText,
      custom<URL>((value) => value instanceof URL, 'must be a URL'),
    ),
    (file): SecretSource => {
      const text = String(file)
      const shown = shownFile(text)
      return shown === text ? text : hideSecret(text, shown)
    },
  ),
  { path: true },
)

/** The path or URL itself. */
export function fileText(file: SecretSource, where: string): string {
  return resolveSecret(file, where)
}

/** A file as it may appear in messages. */
export function shownFile(file: string): string {
  return isRemote(file) ? shownUrl(file) : file
}

/** The bytes of a file, from disk or over HTTP; undefined where there is no such file. */
export async function readFile(file: string): Promise<Uint8Array | undefined> {
  const files = globalThis.process?.getBuiltinModule?.('node:fs')
  if (files === undefined || isRemote(file)) return download(file)
  try {
    const path = file.startsWith('file:') ? new URL(file) : file
    // A pipe would be waited for without end.
    const found = await files.promises.stat(path)
    if (!found.isFile() && !found.isDirectory()) throw new Error('it is no ordinary file')
    return await files.promises.readFile(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new ZerothError('invalid-model', `cannot read ${file} (${code ?? message})`, { cause: error })
  }
}

async function download(file: string): Promise<Uint8Array | undefined> {
  const url = new URL(file, globalThis.location?.href).href
  const service = endpoint({ url, headers: {}, timeout: 300_000, maxReplyBytes: mostBytes }, 'file')
  const request = { method: 'GET', anyStatus: true }
  try {
    const reply = await service.call(request)
    if (reply.status === 404) return undefined
    if (reply.status < 300) return reply.bytes
    throw service.refusal(request, reply)
  } catch (error) {
    throw new ZerothError('invalid-model', `cannot read ${shownFile(file)}: ${(error as Error).message}`)
  }
}

function isRemote(file: string): boolean {
  const url = parsedUrl(file)
  return url !== undefined && isHttp(url)
}

/** The file beside a model that says what the model wants: `digits.onnx` has `digits.preprocessing.json`. */
function sidecarOf(file: string): string {
  const [, path, rest] = /^([^?#]*)(.*)$/s.exec(file) as unknown as [string, string, string]
  return `${path.replace(/\.onnx$/i, '')}.preprocessing.json${rest}`
}

/** What the file beside a model says; nothing where there is none. */
export async function readSidecar(model: string): Promise<PreprocessingOption> {
  const file = sidecarOf(model)
  const bytes = await readFile(file)
  const text = bytes === undefined ? '' : new TextDecoder().decode(bytes)
  // Web servers like to answer with a page where there is no such file.
  if (bytes === undefined || text.trimStart().startsWith('<')) return {}
  return parseOptions(`${shownFile(file)}: preprocessing`, preprocessingOption, parsed(text, shownFile(file)))
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ZerothError('invalid-model', `${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

const options = table({
  /** Path or URL of the network, an .onnx file. */
  file: optional(fileOption),
  /** The network itself, instead of a file. */
  bytes: optional(custom<Uint8Array>((value) => value instanceof Uint8Array, 'must be a Uint8Array')),
  /** What the network wants its images to be like; goes before what the file beside the network says. Default {}. */
  preprocessing: withDefault(preprocessingOption, {}),
  /** The name of its input, which must be the only one; checked if given. */
  input: optional(text),
  /** Which output gives the scores; if left out, the only one, or the only one that holds fractions. */
  output: optional(text),
  /**
   * Images per call at most; overridden by a batch size fixed in the network, with a warning if that is larger. At least 1;
   * default 16.
   */
  batch: withDefault(count, 16),
  /** Copies of the network at work at once, each in its own thread. At least 1 and at most 64; default 1. */
  sessions: withDefault(integerFrom(1, 64), 1),
  /**
   * What computes the network: cpu, cuda, tensorrt, coreml, dml or webgpu, as far as the installed onnxruntime has them;
   * with several, each gets what those before it cannot compute; cpu if left out.
   */
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

/** What takes the images and what gives the scores. */
function chosenValues(given: OnnxOptions, { name, bytes, session }: Pick<Opened, 'name' | 'bytes' | 'session'>) {
  const declared = () => declaredValues(bytes, name)
  const taken = valuesOf(session, 'input', declared)
  if (taken.length > 1) {
    const names = taken.map((each) => each.name).join(', ')
    const why = `has ${taken.length} inputs (${names}), and only one can be fed with images`
    throw new ZerothError('invalid-model', `${name} ${why}: export it with the others fixed`)
  }
  const inputTypes = ['float32', 'float16', 'float64', 'uint8', 'int8'] as const
  return {
    input: chooseValue(taken, { kind: 'input', name: given.input, types: inputTypes }, name),
    output: chooseValue(
      valuesOf(session, 'output', declared),
      { kind: 'output', name: given.output, types: outputTypes },
      name,
    ),
  }
}

async function modelOf(given: OnnxOptions, { name, bytes, runtime, session, ...found }: Opened): Promise<Model> {
  const { input, output } = chosenValues(given, { name, bytes, session })
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
  const where = `${name}: the output ${show(output.name)}`
  const scores = scoresPerImage(output.sides, images.fixedBatch, where) ?? (await place.run(1)).length
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
