import type { AttackReport, ImageRecord } from '../../attacks/index.ts'
import type { JsonObject } from '../../spec/index.ts'

/** What holding a robust accuracy against the least that is demanded came to. */
export type Verdict =
  | { readonly kind: 'met' | 'below'; readonly failUnder: number }
  | { readonly kind: 'unjudged'; readonly failUnder: number; readonly why: string }

/** Holds an attack against `failUnder`; undefined where nothing is demanded. Too little measured is never enough. */
export function verdictOf({ failUnder }: JsonObject, report: AttackReport): Verdict | undefined {
  if (typeof failUnder !== 'number') return undefined
  if (mostRobust(report) < failUnder) return { kind: 'below', failUnder }
  const why = unmeasured(report)
  return why === undefined ? { kind: 'met', failUnder } : { kind: 'unjudged', failUnder, why }
}

/** The robust accuracy if every image that failed had withstood; NaN without any image. */
function mostRobust({ summary: { looked, robustAccuracy }, images }: AttackReport): number {
  const failed = images.filter(({ status }) => status === 'failed')
  const uncounted = failed.filter(({ label, predicted }) => label === null || predicted === null).length
  const stood = looked === 0 ? 0 : Math.round(robustAccuracy * looked)
  return (stood + failed.length) / (looked + uncounted)
}

/** Why a robust accuracy says little, where it does. */
function unmeasured({ summary: { attacked, failed }, images }: AttackReport): string | undefined {
  if (failed > 0) return `${failed} of ${images.length} images could not be measured`
  if (attacked === 0) return 'no image was attacked'
  return images.some(wasTried) ? undefined : 'no attack made a single iteration'
}

function wasTried({ first, final }: ImageRecord): boolean {
  return first !== null || (final?.iteration ?? 0) > 0
}
