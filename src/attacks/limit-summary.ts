import type { AttackLimits, ImageRecord, LimitRecord, LimitSummary } from './records.ts'
import { wilson } from './wilson.ts'

/** What all images together say about each of several limits, the smallest first. */
export function summarizeLimits(images: readonly ImageRecord[], limits: readonly AttackLimits[]): LimitSummary[] {
  return limits.map((limit) => summarizeLimit(images, limit)).sort((one, other) => sizeOf(one) - sizeOf(other))
}

function summarizeLimit(images: readonly ImageRecord[], { linf, l2 }: AttackLimits): LimitSummary {
  const found = images.map((image) => ({ image, within: withinLimit(image, { linf, l2 }) }))
  const count = (is: (each: (typeof found)[number]) => boolean): number => found.filter(is).length
  const looked = count(({ image }) => image.label !== null && image.predicted !== null)
  const robust = count(({ within }) => within?.status === 'robust')
  // Correct, and nothing to try: a targeted attack leaves out the images of its target.
  const spared = count(({ image }) => image.status === 'skipped' && image.predicted === image.label)
  const fooled = count(({ within }) => within?.status === 'fooled')
  const skipped = count(({ image }) => image.status === 'skipped')
  return {
    ...(linf === undefined ? {} : { linf }),
    ...(l2 === undefined ? {} : { l2 }),
    robustAccuracy: (robust + spared) / looked,
    robustAccuracyInterval: wilson(robust + spared, looked),
    fooled,
    robust,
    unmeasured: images.length - skipped - robust - fooled,
    queries: found.reduce((sum, { within }) => sum + (within?.queries ?? 0), 0),
  }
}

/** How an image fared within a limit; undefined where it is not known. */
export function withinLimit({ limits }: ImageRecord, { linf, l2 }: AttackLimits): LimitRecord | undefined {
  return limits?.find((each) => each.linf === linf && each.l2 === l2)
}

/** For an order: limits of several differ in one norm only. */
function sizeOf({ linf = 0, l2 = 0 }: AttackLimits): number {
  return linf + l2
}
