import type { Shape } from '../../core/option-type.ts'
import { jsonOf } from '../fill-in.ts'
import { findPart } from '../known-parts.ts'
import { isObject, type Json } from '../plain-data.ts'

/** The paper's smoothing for attacks, with pixels one apart from black to white; solvers have a smaller one. */
const smoothing = 0.005

/** A solver as an attack means it: with the paper's smoothing where it says none, and so the solvers inside it. */
export function smoothedSolver(given: Json): Json {
  const part = typeof given === 'string' ? { name: given } : given
  if (!isObject(part)) return given
  const known = optionsOf(part.name)
  const inside = Object.entries(known).flatMap(([key, { about, standard }]): [string, Json][] => {
    if (about.type !== 'part' || about.kind !== 'solver') return []
    const own = part[key]
    if (own !== undefined) return [[key, smoothedSolver(own)]]
    const usual = jsonOf(standard?.())
    return usual === undefined ? [] : [[key, withSmoothing(usual)]]
  })
  return { ...(Object.hasOwn(known, 'smoothing') ? { smoothing } : {}), ...part, ...Object.fromEntries(inside) }
}

/** A solver that a default made: what it has for smoothing is nobody's choice. */
function withSmoothing(part: Json): Json {
  return isObject(part) && Object.hasOwn(optionsOf(part.name), 'smoothing') ? { ...part, smoothing } : part
}

function optionsOf(name: Json | undefined): Shape {
  return findPart('solver', name)?.definition.options.shape ?? {}
}
