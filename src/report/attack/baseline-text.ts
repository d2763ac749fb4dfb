import type { LimitComparison } from '../../attacks/records.ts'
import { countText, percentText } from '../number-text.ts'
import { limitName } from './attack-settings.ts'

/** Robust accuracy before and now, in a sentence. */
export function comparisonSentence(limit: LimitComparison, images?: number): string {
  const { kind, before, now, unmeasured } = limit
  const within = limitName(limit) === '' ? '' : ` within ${limitName(limit)}`
  const over = images === undefined ? '' : ` over the ${countText(images)} images in both`
  const word = { met: 'no worse', worse: 'worse', unjudged: 'cannot be judged' }[kind]
  const why = kind === 'unjudged' ? `: ${countText(unmeasured)} could not be measured` : ''
  return `robust accuracy${within} ${percentText(now)}, was ${percentText(before)}${over}: ${word}${why}`
}
