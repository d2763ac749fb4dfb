import { jsonOf } from '../fill-in.ts'
import { findPart } from '../known-parts.ts'
import { type OptionSchema, openOption } from '../option-schema.ts'
import { isObject, type Json } from '../plain-data.ts'

/** The paper's smoothing for attacks, with pixels one apart from black to white; solvers have a smaller one. */
const smoothing = 0.005

/** A solver as an attack means it: with the paper's smoothing where it says none, and so the solvers inside it. */
export function smoothedSolver(given: Json): Json {
  const part = typeof given === 'string' ? { name: given } : given
  if (!isObject(part)) return given
  const known = optionsOf(part.name)
  const inside = Object.entries(known).flatMap(([key, schema]): [string, Json][] => {
    const opened = openOption(schema)
    if (opened.part !== 'solver') return []
    const own = part[key]
    if (own !== undefined) return [[key, smoothedSolver(own)]]
    const usual = jsonOf(opened.standard())
    return usual === undefined ? [] : [[key, withSmoothing(usual)]]
  })
  return { ...(Object.hasOwn(known, 'smoothing') ? { smoothing } : {}), ...part, ...Object.fromEntries(inside) }
}

/** A solver that a default made: what it has for smoothing is nobody's choice. */
function withSmoothing(part: Json): Json {
  return isObject(part) && Object.hasOwn(optionsOf(part.name), 'smoothing') ? { ...part, smoothing } : part
}

function optionsOf(name: Json | undefined): Readonly<Record<string, OptionSchema>> {
  return findPart('solver', name)?.definition.options.shape ?? {}
}
