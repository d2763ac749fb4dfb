/** Keeps the logarithm of a probability of 0 finite, as the authors' code does: margins end at about 23. */
const floor = 1e-10

/** What an attack wants of one image: another class than `label`, or the class `target`. */
export interface Goal {
  readonly label: number
  readonly target?: number | undefined
}

/** What a classifier's scores say about one image. */
export interface Reading {
  /**
   * How far the goal is from being reached: Z_t - max Z_j over j != t for a class t to get away from, the other way round
   * for one to reach (Section 5.1, f before it is cut off at -kappa). Z are logits, or logarithms of probabilities.
   */
  readonly margin: number
  /** The class with the highest score; the first of several. */
  readonly predicted: number
}

/** Reads the scores of one image, `classes` numbers from `offset` on. Scores that are no numbers give a margin of NaN. */
export function readScores(
  scores: Float32Array | Float64Array,
  offset: number,
  classes: number,
  kind: 'logits' | 'probabilities',
  { label, target }: Goal,
): Reading {
  const own = target ?? label
  let predicted = 0
  let rival = -Infinity
  let broken = false
  for (let j = 0; j < classes; j++) {
    const score = scores[offset + j] as number
    if (Number.isNaN(score)) broken = true
    if (score > (scores[offset + predicted] as number)) predicted = j
    if (j !== own && score > rival) rival = score
  }
  if (broken) return { margin: Number.NaN, predicted: -1 }
  const mine = scores[offset + own] as number
  const [ahead, behind] = target === undefined ? [mine, rival] : [rival, mine]
  return { margin: kind === 'logits' ? ahead - behind : Math.log(ahead + floor) - Math.log(behind + floor), predicted }
}
