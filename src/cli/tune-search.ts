/** One setting that was tried: its learning rate and betas, and the mean value over seeds it led to. */
export interface Tried {
  readonly learningRate: number
  readonly beta1?: number | undefined
  readonly beta2?: number | undefined
  readonly value: number
}

type Setting = Omit<Tried, 'value'>

/** Neighbours in the grid of learning rates differ by about this factor: 1, 3, 10, 30, ... */
const steps = [1, 3]

/** The learning rates from one power of ten to another: 1e-4, 3e-4, 1e-3, ... */
export function rateGrid(from: number, to: number): number[] {
  const first = Math.round(Math.log10(from))
  const last = Math.round(Math.log10(to))
  const rates: number[] = []
  for (let power = first; power <= last; power++) {
    for (const step of steps) rates.push(Number(`${step}e${power}`))
  }
  return rates.filter((rate) => rate >= from * 0.999 && rate <= to * 1.001)
}

/**
 * The greedy search of the paper: the learning rate first, then, where the method has them, the betas at that rate. As
 * long as the best rate is at the edge of the grid the grid grows there: a best value at an edge is no best value.
 */
export async function greedySearch(
  rates: readonly number[],
  betas: readonly number[],
  extensions: number,
  measure: (setting: Setting) => Promise<number>,
): Promise<{ readonly tried: readonly Tried[]; readonly best: Tried; readonly atEdge: boolean }> {
  const tried: Tried[] = []
  const attempt = async (setting: Setting): Promise<void> => {
    tried.push({ ...setting, value: await measure(setting) })
  }
  for (const learningRate of rates) await attempt({ learningRate })
  let edge = edgeOf(tried)
  for (let grown = 0; edge !== 0 && grown < extensions; grown++) {
    await attempt({ learningRate: next(tried, edge) })
    edge = edgeOf(tried)
  }
  const { learningRate } = bestOf(tried)
  for (const beta1 of betas) for (const beta2 of betas) await attempt({ learningRate, beta1, beta2 })
  return { tried, best: bestOf(tried), atEdge: edge !== 0 }
}

/** The smallest mean value; settings that led nowhere count as worst. */
export function bestOf(tried: readonly Tried[]): Tried {
  return tried.reduce((best, each) => (each.value < best.value || Number.isNaN(best.value) ? each : best))
}

/** -1 or 1 where the best rate is the smallest or the largest that was tried, otherwise 0. */
function edgeOf(tried: readonly Tried[]): -1 | 0 | 1 {
  const rates = tried.map(({ learningRate }) => learningRate)
  const best = bestOf(tried)
  if (Number.isNaN(best.value)) return -1
  if (best.learningRate === Math.max(...rates)) return 1
  return best.learningRate === Math.min(...rates) ? -1 : 0
}

/** The rate beyond the edge: 1, 3, 10, 30, ... in either direction. */
function next(tried: readonly Tried[], edge: -1 | 0 | 1): number {
  const rates = tried.map(({ learningRate }) => learningRate)
  const outermost = edge === 1 ? Math.max(...rates) : Math.min(...rates)
  const [digits = '1', power = '0'] = outermost.toExponential().split('e')
  const isRound = Number(digits) < 2
  const exponent = Number(power)
  if (edge === 1) return Number(isRound ? `3e${exponent}` : `1e${exponent + 1}`)
  return Number(isRound ? `3e${exponent - 1}` : `1e${exponent}`)
}
