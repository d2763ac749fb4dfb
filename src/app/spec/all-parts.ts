import { parts } from '../../registry.ts'
import { models } from '../../robustness/models/index.ts'
import { objectives } from '../objectives/index.ts'
import { knowParts } from './compile-part.ts'

let isKnown = false

/** From now on specs can name every part there is. */
export function knowAllParts(): void {
  if (isKnown) return
  knowParts({ ...parts, objective: [...parts.problem, ...objectives], model: models })
  isKnown = true
}
