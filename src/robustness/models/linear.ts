import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  flag,
  imageDimensions,
  listOf,
  numbers,
  type Output,
  optional,
  table,
  withDefault,
} from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import type { Model, ModelSource } from './model.ts'
import { checkScoreBuffer, highestOf, writeClass } from './network-model.ts'
import { labelsNotice } from './preprocessing.ts'

const options = table({
  /** Size of an image. */
  shape: imageDimensions,
  /** For each class one weight per pixel, a channel plane after the other. */
  weights: listOf(numbers, 1),
  /** For each class what is added; 0 if left out. */
  bias: optional(numbers),
  /** Answer with the class of the highest score alone, as a model without scores does. Default false. */
  hideScores: withDefault(flag, false),
})

/** Scores that are weighted sums of the pixels, in float64: for tests, for examples, and to see through. */
export const linearModel = definePart({
  kind: 'model',
  name: 'linear',
  summary: 'Scores that are weighted sums of the pixels.',
  options,
  examples: (dim) => [
    { shape: { channels: 1, height: 1, width: dim }, weights: [0, 1, 2].map((k) => spread(dim, k)) },
    { shape: { channels: dim, height: 1, width: 1 }, weights: [spread(dim, 3), spread(dim, 4)], bias: [0.5, -1] },
  ],
  make: (given): ModelSource => {
    const model = linear(given)
    return { open: async () => model }
  },
})

function linear({ shape, weights, bias, hideScores }: Output<typeof options>): Model {
  const size = shape.channels * shape.height * shape.width
  const classes = weights.length
  const added = bias ?? new Float64Array(classes)
  weights.forEach((row, index) => checkLength(`weights.${index}`, row, size, 'one per pixel'))
  checkLength('bias', added, classes, 'one per class')
  return {
    shape,
    classes,
    scores: hideScores ? 'labels' : 'logits',
    bounds: { lower: 0, upper: 1 },
    batch: 1,
    runtime: 'zeroth',
    warnings: hideScores ? [labelsNotice] : [],
    predict(images, into, signal) {
      checkScoreBuffer(into, images.rows * classes)
      const pixels = new Float64Array(size)
      for (let row = 0; row < images.rows; row++) {
        signal?.throwIfAborted()
        images.write(row, pixels)
        for (let k = 0; k < classes; k++) {
          into[row * classes + k] = dot(weights[k] as Float64Array, pixels) + (added[k] as number)
        }
        if (hideScores) hide(into.subarray(row * classes, (row + 1) * classes))
      }
    },
    close: () => undefined,
  }
}

function hide(scores: Float32Array | Float64Array): void {
  writeClass(highestOf(scores, 0, scores.length), scores, { name: 'linear', classes: scores.length, labelOffset: 0 })
}

function checkLength(field: string, list: ArrayLike<number>, wanted: number, meaning: string): void {
  if (list.length === wanted) return
  throw new ZerothError('invalid-option', `linear.${field} must hold ${wanted} numbers, ${meaning}, got ${list.length}`)
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

/** Weights that differ from class to class. */
function spread(dim: number, seed: number): number[] {
  return Array.from({ length: dim }, (_, i) => Math.sin(1 + i * (seed + 1)))
}
