import type { Model } from './model.ts'

/** Looks at what goes into a model and what comes out, and says what is odd about it. */
export interface SanityChecks {
  image(title: string, pixels: Float32Array): void
  label(title: string, label: number | undefined): void
  scores(title: string, scores: Float32Array): void
  warnings(): string[]
}

/** How far a sum of probabilities may be from 1: networks compute in single precision, or in half. */
const sumTolerance = 0.01

/** The checks for one model. */
export function sanityChecks({ bounds, classes, scores: kind }: Model): SanityChecks {
  const first: { outside?: string; label?: string; sum?: string } = {}
  let images = 0
  let constant = 0
  let scored = 0
  let alikeProbabilities = 0

  return {
    image(title, pixels) {
      const { low, high } = extremes(pixels)
      images++
      if (low === high) constant++
      if (low >= bounds.lower && high <= bounds.upper) return
      first.outside ??= `${title} has pixels from ${low} to ${high}, outside of the model's ${bounds.lower} to ${bounds.upper}: bytes must be divided by 255`
    },
    label(title, label) {
      if (label === undefined || label < classes) return
      first.label ??= `${title} has the label ${label}, but the model has ${classes} classes, counted from 0`
    },
    scores(title, row) {
      const sum = row.reduce((total, each) => total + each, 0)
      const isAlike = Math.abs(sum - 1) < sumTolerance && row.every((each) => each >= 0 && each <= 1)
      scored++
      if (isAlike) alikeProbabilities++
      else first.sum ??= `the scores of ${title} sum to ${sum.toPrecision(3)}`
    },
    warnings() {
      const warnings = [first.outside, first.label].filter((each) => each !== undefined)
      if (images > 1 && constant === images)
        warnings.push('all images are of one color: they were probably not read well')
      if (kind === 'probabilities' && first.sum !== undefined) {
        warnings.push(`${first.sum}, so they are no probabilities: set preprocessing.scores to logits`)
      }
      // A single score of 1 for two images may well be chance.
      if (kind === 'logits' && classes > 1 && scored > 1 && alikeProbabilities === scored) {
        warnings.push('all scores lie between 0 and 1 and sum to 1: set preprocessing.scores to probabilities')
      }
      return warnings
    },
  }
}

function extremes(pixels: Float32Array): { low: number; high: number } {
  let low = Infinity
  let high = -Infinity
  for (const pixel of pixels) {
    if (pixel < low) low = pixel
    if (pixel > high) high = pixel
  }
  return { low, high }
}
