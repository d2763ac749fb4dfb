import { ZerothError } from './errors.ts'
import type { Search, Vector } from './types.ts'

/** The best point so far; its value is NaN before the first. */
interface Best {
  readonly value: number
  readonly point: Vector
}

/** Whether a run ends with the best candidate, because the search has no answer of its own. */
export function endsWithBest({ candidates, answer }: Search, best: Best): boolean {
  return candidates === true && answer === undefined && !Number.isNaN(best.value)
}

/** The point that a run ends with if it ends now. */
export function lastPoint(search: Search, best: Best): Vector {
  return endsWithBest(search, best) ? best.point : (search.answer ?? search.point)
}

/** Refuses candidates that are asked with several samples: the best single answer would be the luckiest one. */
export function checkCandidates({ candidates }: Search, samples: number): void {
  if (candidates !== true || samples === 1) return
  throw new ZerothError(
    'invalid-option',
    `a method that compares single values takes one sample per point, got ${samples}`,
  )
}
