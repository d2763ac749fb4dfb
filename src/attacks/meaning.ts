import { limitText } from '../core/limit-text.ts'
import type { AttackLimits, AttackSummary } from './records.ts'

/** What a robust accuracy means: which changes by which methods the images withstood, with how many queries. Empty where none was tried. */
export function meaningOf(
  { robustAccuracy, attacked, methods = [] }: Pick<AttackSummary, 'robustAccuracy' | 'attacked' | 'methods'>,
  {
    maxQueries,
    universal,
    within,
  }: { readonly maxQueries: number; readonly universal: boolean; readonly within: AttackLimits },
): { meaning?: string } {
  if (attacked === 0 || methods.length === 0) return {}
  const share = `${Math.round(1000 * robustAccuracy) / 10} % of the images withstood`
  const count = String(maxQueries).replace(/\B(?=(\d{3})+$)/g, ',')
  const queries = `${count} ${maxQueries === 1 ? 'query' : 'queries'} ${universal ? 'in all' : 'each'}`
  // The way back from a success is no method that an image withstands.
  const tried = methods.filter((method) => method !== 'back')
  return {
    meaning: `${share} ${changesText(within)} by ${namesText(tried)} with ${queries}; a stronger attack may fool more`,
  }
}

function changesText({ linf, l2 }: AttackLimits): string {
  const sizes = Object.entries({ linf, l2 }).flatMap(([norm, size]) =>
    size === undefined ? [] : [`${limitText(size)} (${norm})`],
  )
  return sizes.length === 0 ? 'changes of any size' : `changes of at most ${sizes.join(' and ')}`
}

function namesText(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
