import { isObject, type Json, type JsonObject } from '../plain-data.ts'

/** Norms in which a perturbation can be limited. */
export const norms = ['linf', 'l2'] as const

/** Several limits of one norm, the smallest first. */
export interface SeveralLimits {
  readonly norm: (typeof norms)[number]
  readonly sizes: readonly number[]
}

/** The several limits of a spec; undefined where there is one at most. */
export function limitsOf(spec: JsonObject): SeveralLimits | undefined {
  const norm = norms.find((each) => Array.isArray(spec[each]) && (spec[each] as readonly Json[]).length > 1)
  return norm === undefined ? undefined : { norm, sizes: spec[norm] as readonly number[] }
}

/** The solver of an attack, and those inside it, with the decay of every learning rate written out: alpha / sqrt(t). */
export function decaysWritten<Value>(json: Value): Value {
  if (Array.isArray(json)) return json.map(decaysWritten) as Value
  if (!isObject(json)) return json
  const made: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(json)) made[key] = decaysWritten(each)
  const { name, learningRate: value } = made
  if (typeof name === 'string' && typeof value === 'number') made.learningRate = { value, decay: 'sqrt' }
  return made as Value
}
