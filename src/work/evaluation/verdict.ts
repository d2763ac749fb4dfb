import type { AttackReport, ImageRecord } from '../../attacks/index.ts'
import type { JsonObject } from '../../spec/index.ts'

/** Whether the robust accuracy is what is demanded. */
export type Verdict =
  | { readonly kind: 'met' | 'below'; readonly failUnder: number }
  | { readonly kind: 'unjudged'; readonly failUnder: number; readonly why: string }

/** Compares an attack with `failUnder`; undefined where nothing is demanded. Too little measured is never enough. */
export function verdictOf({ failUnder }: JsonObject, report: AttackReport): Verdict | undefined {
  if (typeof failUnder !== 'number') return undefined
  const { least, most } = robustness(report)
  if (most < failUnder) return { kind: 'below', failUnder }
  const why = untested(report) ?? (least >= failUnder ? undefined : unmeasured(report))
  return why === undefined ? { kind: 'met', failUnder } : { kind: 'unjudged', failUnder, why }
}

/** The robust accuracy if all images that failed had been fooled, and if none had; NaN without any image. */
function robustness({ summary: { looked, robustAccuracy }, images }: AttackReport): { least: number; most: number } {
  const failed = images.filter(({ status }) => status === 'failed')
  const uncounted = failed.filter(({ label, predicted }) => label === null || predicted === null).length
  const stood = looked === 0 ? 0 : Math.round(robustAccuracy * looked)
  const all = looked + uncounted
  return { least: stood / all, most: (stood + failed.length) / all }
}

/** Why nothing was put to the test, where nothing was. */
function untested({ summary: { attacked, failed }, images }: AttackReport): string | undefined {
  if (attacked === 0) return failed > 0 ? unmeasured({ summary: { failed }, images }) : 'no image was attacked'
  return images.some(wasTried) || failed > 0 ? undefined : 'no attack made a single iteration'
}

/** How much could not be measured. */
function unmeasured({
  summary,
  images,
}: {
  summary: { failed: number }
  images: readonly unknown[]
}): string | undefined {
  return summary.failed > 0 ? `${summary.failed} of ${images.length} images could not be measured` : undefined
}

function wasTried({ first, final }: ImageRecord): boolean {
  return first !== null || (final?.iteration ?? 0) > 0
}

/** Whether nothing was measured, because no image could be used. */
export function measuredNothing(images: readonly ImageRecord[]): boolean {
  return images.length === 0 || images.every(({ status }) => status === 'failed')
}
