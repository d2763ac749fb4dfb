import { endsRun, messageOf, ZerothError } from '../core/errors.ts'
import type { Dataset } from '../datasets/dataset.ts'
import type { Model } from '../models/model.ts'
import { readScores } from './margin.ts'

/** What is known of an image before it is attacked. */
export interface Looked {
  readonly index: number
  readonly title: string
  readonly label: number | null
  /** The class the model sees in it. */
  readonly predicted: number | null
  /** What a targeted attack aims at. */
  readonly target: number | null
  /** To be attacked, left out because it is misclassified already, or not usable. */
  readonly standing: 'attacked' | 'skipped' | 'failed'
  readonly reason: string | null
  readonly modelCalls: number
}

/** What the look at the images is to find. */
export interface Wanted {
  /** So many images to attack; all if left out. */
  readonly count?: number | undefined
  readonly target?: number | 'next' | undefined
  readonly signal?: AbortSignal | undefined
  /** What is known of the first images already. */
  readonly looked?: readonly Looked[] | undefined
  readonly onLooked?: ((looked: readonly Looked[]) => void | Promise<void>) | undefined
}

/** Images the model is asked about at a time. */
const chunk = 32

/** Calls in a row that bring nothing after which a model is given up on. */
const patience = 5

const noNumbers = 'the model answered with scores that are no numbers'

/**
 * Looks at the images in their order until so many are found that the model classifies correctly. Each costs one call of
 * the model; no image is looked at that is not needed.
 */
export async function survey(model: Model, dataset: Dataset, wanted: Wanted): Promise<Looked[]> {
  const looked = [...(wanted.looked ?? [])]
  let silent = 0
  for (;;) {
    const size = Math.min(chunk, missingImages(looked, wanted.count, dataset.count))
    if (size === 0) return looked
    wanted.signal?.throwIfAborted()
    const found = await look(model, dataset, looked.length, size, wanted)
    silent = found.every(isUnanswered) ? silent + 1 : 0
    if (silent === patience) {
      const reason = `the model does not answer: ${found[0]?.reason}`
      throw new ZerothError('query-failed', `${reason} (${patience} calls in a row)`)
    }
    looked.push(...found)
    await wanted.onLooked?.(looked)
  }
}

/** Whether the model was asked about an image and nothing came back. */
function isUnanswered({ predicted, modelCalls, reason }: Looked): boolean {
  return predicted === null && modelCalls > 0 && reason !== noNumbers
}

/** How many more images must be looked at, at the least, until enough are found or there are no more. */
export function missingImages(looked: readonly Looked[], count: number | undefined, available: number): number {
  const found = looked.filter(({ standing }) => standing === 'attacked').length
  return Math.max(0, Math.min((count ?? available) - found, available - looked.length))
}

async function look(
  model: Model,
  dataset: Dataset,
  first: number,
  size: number,
  { target, signal }: Wanted,
): Promise<Looked[]> {
  const indices = Array.from({ length: size }, (_, i) => first + i)
  const read = await Promise.all(indices.map((index) => readable(model, dataset, index)))
  const usable = read.flatMap((each) => (typeof each.pixels === 'string' ? [] : [each as { pixels: Float32Array }]))
  const scores = new Float64Array(usable.length * model.classes).fill(Number.NaN)
  const images = {
    rows: usable.length,
    write: (row: number, into: Float32Array | Float64Array, offset = 0) => into.set(usable[row]?.pixels ?? [], offset),
  }
  let trouble = noNumbers
  try {
    if (usable.length > 0) await model.predict(images, scores, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (endsRun(error)) throw error
    trouble = messageOf(error)
  }
  let row = 0
  return read.map(({ index, title, label, pixels }): Looked => {
    const about = { index, title, label, target: null, predicted: null }
    if (typeof pixels === 'string' || label === null) {
      return {
        ...about,
        standing: 'failed',
        reason: typeof pixels === 'string' ? pixels : 'has no label',
        modelCalls: 0,
      }
    }
    const seen = readScores(scores, row++ * model.classes, model.classes, model.scores, { label }).predicted
    if (seen < 0) return { ...about, standing: 'failed', reason: trouble, modelCalls: 1 }
    return { ...about, ...standingOf(label, seen, aim(target, label, model.classes)), predicted: seen, modelCalls: 1 }
  })
}

/** An image with its pixels, or with why it cannot be used. */
async function readable(model: Model, dataset: Dataset, index: number) {
  const title = titleOf(dataset, index)
  const { channels, height, width } = model.shape
  let label: number | null = null
  try {
    label = dataset.label(index) ?? null
    if (label === null) return { index, title, label, pixels: 'has no label' }
    if (!Number.isInteger(label) || label < 0 || label >= model.classes) {
      return { index, title, label, pixels: `its label must be from 0 to ${model.classes - 1}, got ${label}` }
    }
    const { pixels, shape } = await dataset.read(index)
    if (shape.channels !== channels || shape.height !== height || shape.width !== width) {
      const sizes = [shape, model.shape].map((each) => `${each.channels} x ${each.height} x ${each.width}`)
      return {
        index,
        title,
        label,
        pixels: `is ${sizes[0]}, but the model takes ${sizes[1]} (channels x height x width)`,
      }
    }
    return { index, title, label, pixels }
  } catch (error) {
    return { index, title, label, pixels: messageOf(error) }
  }
}

function titleOf(dataset: Dataset, index: number): string {
  try {
    return dataset.title(index)
  } catch {
    return String(index)
  }
}

function aim(target: number | 'next' | undefined, label: number, classes: number): number | null {
  if (target === undefined) return null
  return target === 'next' ? (label + 1) % classes : target
}

function standingOf(
  label: number,
  predicted: number,
  target: number | null,
): Pick<Looked, 'standing' | 'reason' | 'target'> {
  if (predicted !== label) {
    return { standing: 'skipped', reason: `misclassified before any attack, as class ${predicted}`, target }
  }
  if (target === label) return { standing: 'skipped', reason: `is of the target class ${target} already`, target: null }
  return { standing: 'attacked', reason: null, target }
}
