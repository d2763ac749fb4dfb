import { type Noise, type Problem, problem } from './problem.ts'
import { type FamilyName, families } from './residuals.ts'
import { dot } from './vectors.ts'

/** One of the 53 problems: a family, its dimension, whether it begins at ten times the start, the lowest value known. */
type Entry = readonly [family: FamilyName, n: number, far: boolean, best: number]

/** Both starts of a problem. */
function twice(family: FamilyName, n: number, best: number, bestFromFar = best): readonly Entry[] {
  return [
    [family, n, false, best],
    [family, n, true, bestFromFar],
  ]
}

/**
 * In the order of the set. Four values are those of the local minimum that is reached from the start, so that a local
 * method is not asked for the global one: Freudenstein-Roth (global 0), Chebyquad 10 (0.00477271369638) and Osborne 2
 * from afar (0.0401377362935).
 */
export const moreWildEntries: readonly Entry[] = [
  ...twice('linfull', 9, 36),
  ...twice('linrank1', 7, 8.380281690140844),
  ...twice('linrank1z', 7, 9.880597014925373),
  ...twice('rosenbrock', 2, 0),
  ...twice('helical', 3, 0),
  ...twice('powellsing', 4, 0),
  ...twice('freudroth', 2, 48.98425367924),
  ...twice('bard', 3, 0.008214877306578),
  ['kowalik', 4, false, 0.000307505603849],
  ['meyer', 3, false, 87.94585517],
  ...twice('watson', 6, 0.002287670053552),
  ...twice('watson', 9, 1.399760138e-6),
  ...twice('watson', 12, 4.72238110589e-10),
  ['box3d', 3, false, 0],
  ['jennrich', 2, false, 124.36218235561],
  ...twice('browndennis', 4, 85822.20162635),
  ['chebyquad', 6, false, 0],
  ['chebyquad', 7, false, 0],
  ['chebyquad', 8, false, 0.003516873725677],
  ['chebyquad', 9, false, 0],
  ['chebyquad', 10, false, 0.0065039548],
  ['chebyquad', 11, false, 0.002799761552],
  ['brownal', 10, false, 0],
  ['osborne1', 5, false, 5.464894697483e-5],
  ...twice('osborne2', 11, 0.0401377362935, 0.617),
  ['bdqrtic', 8, false, 10.2389734213174],
  ['bdqrtic', 10, false, 18.2811617535],
  ['bdqrtic', 11, false, 22.2605917],
  ['bdqrtic', 12, false, 26.2727664],
  ['cube', 5, false, 0],
  ['cube', 6, false, 0],
  ['cube', 8, false, 0],
  ...twice('mancino', 5, 0),
  ['mancino', 8, false, 0],
  ['mancino', 10, false, 0],
  ...twice('mancino', 12, 0),
  ...twice('heart8', 8, 0),
]

/** The sum of squared residuals. */
export function squares(family: FamilyName, n: number): (x: Float64Array) => number {
  const residuals = families[family].residuals(n)
  return (x) => {
    const r = residuals(Array.from(x))
    return dot(r, r)
  }
}

/** The 53 problems of Moré and Wild, exact or with noise of a thousandth of the value, or of the way to the best. */
export function moreWild(noise?: Noise['kind']): Problem[] {
  return moreWildEntries.map(([family, n, far, best], i) => {
    const start = Float64Array.from(families[family].start(n), (v) => (far ? 10 * v : v))
    const number = String(i + 1).padStart(2, '0')
    const exact = problem({
      name: `mw${number}-${family}-${n}${far ? 'x10' : ''}`,
      group: noise ?? 'more-wild',
      start,
      value: squares(family, n),
      best,
    })
    if (noise === undefined) return exact
    const level = noise === 'additive' ? 1e-3 * (exact.initial - best) : 1e-3
    return { ...exact, noise: { kind: noise, level } }
  })
}
