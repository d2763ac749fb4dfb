import { differences } from '../../report/attack/attack-differences.ts'
import { countText, limitText } from '../../report/number-text.ts'
import type { WorkDetail } from '../api.ts'

type Spec = WorkDetail['spec']

const norms = { linf: 'l∞', l2: 'l₂' } as const

/** A norm as the page writes it. */
export function normText(norm: string): string {
  return norm === 'l2' ? norms.l2 : norms.linf
}

/** How much an attack may change a picture; of several limits the largest, which its numbers are about. */
export function attackLimit({ problem, linf, l2 }: Spec): string {
  if (problem === undefined) return '–'
  const largest = problem as Spec
  const sizes = (['linf', 'l2'] as const)
    .filter((norm) => largest[norm] !== undefined)
    .map((norm) => `${norms[norm]} ${limitText(largest[norm])}`)
  const several = [linf, l2].find(Array.isArray)
  const which = several === undefined ? '' : ` (largest of ${several.length})`
  return sizes.length === 0 ? 'any size' : `${sizes.join(', ')}${which}`
}

/** How much an attack may ask. */
export function attackBudget({ maxQueries, maxIterations, universal, linf, l2 }: Spec): string {
  const most = [
    ...(typeof maxQueries === 'number' ? [`${countText(maxQueries)} queries`] : []),
    ...(typeof maxIterations === 'number' ? [`${countText(maxIterations)} iterations`] : []),
  ]
  const each = [linf, l2].some(Array.isArray) ? 'per image and limit' : 'per image'
  if (most.length === 0) return '–'
  return `${most.join(' or ')} ${universal === true ? 'in all' : each}`
}

/** Why attacks cannot be ranked, in words; nothing where they differ in their methods alone. */
export function whyUnranked(all: readonly WorkDetail[]): string[] {
  // Of one that cannot be read, nothing is known to differ.
  const details = all.filter(({ evaluation }) => evaluation !== undefined)
  const areSame = (of: (detail: WorkDetail) => unknown): boolean =>
    new Set(details.map((detail) => JSON.stringify(of(detail)))).size < 2
  return [
    ...(areSame(modelOf) ? [] : ['not all of them attacked the same model']),
    ...(areSame(imagesOf) ? [] : ['not all of them attacked the same images']),
    ...differences(details.map(({ row, spec }) => ({ name: row.name, record: { spec } }))),
  ]
}

/** A model but for how many images it is asked about at a time. */
function modelOf({ spec }: WorkDetail): unknown {
  const { batch: _, ...model } = (spec.model ?? {}) as Spec
  return model
}

function imagesOf({ spec, evaluation }: WorkDetail): unknown {
  const { screened, cleanAccuracy, success } = evaluation ?? {}
  return [spec.images, spec.class, screened, cleanAccuracy, success?.images]
}
