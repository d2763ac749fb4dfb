import { summarize } from '../core/statistics.ts'
import type { AttackPoint, AttackSummary, ImageRecord, MeanMedian } from './records.ts'

/** What all images together say about the model. */
export function summarizeAttack(
  images: readonly ImageRecord[],
  { lambda, kappa, universal }: { lambda: number; kappa: number; universal?: { queries: number; modelCalls: number } },
): AttackSummary {
  const attacked = images.filter(({ status }) => status === 'fooled' || status === 'robust')
  const fooled = attacked.filter(({ status }) => status === 'fooled')
  const looked = images.filter(({ label, predicted }) => label !== null && predicted !== null).length
  const correct = images.filter(({ label, predicted }) => label !== null && predicted === label).length
  const over = (points: readonly (AttackPoint | null)[], of: (point: AttackPoint) => number): MeanMedian =>
    meanMedian(points.flatMap((point) => (point === null ? [] : [of(point)])))
  // One whose attack broke down has not shown that it is robust.
  const stood = images.filter(
    ({ status, label, predicted }) => status === 'robust' || (status === 'skipped' && predicted === label),
  )
  const [first, best, final] = (['first', 'best', 'final'] as const).map((at) => fooled.map((image) => image[at]))
  const kept = (final ?? []).filter((point) => point?.fooled === true).length
  const sum = (of: (image: ImageRecord) => number) => images.reduce((total, image) => total + of(image), 0)
  return {
    looked,
    attacked: attacked.length,
    skipped: images.filter(({ status }) => status === 'skipped').length,
    failed: images.filter(({ status }) => status === 'failed').length,
    fooled: fooled.length,
    cleanAccuracy: correct / looked,
    robustAccuracy: stood.length / looked,
    attackSuccessRate: fooled.length / attacked.length,
    attackSuccessInterval: wilson(fooled.length, attacked.length),
    success8bit: attacked.filter(({ success8bit }) => success8bit === true).length / attacked.length,
    queries: universal?.queries ?? sum(({ queries }) => queries),
    modelCalls: sum(({ modelCalls }) => modelCalls) + (universal?.modelCalls ?? 0),
    firstSuccessIterations: over(first ?? [], ({ iteration }) => iteration),
    firstSuccessQueries: over(first ?? [], ({ queries }) => queries),
    firstSuccessL2sq: over(first ?? [], ({ l2sq }) => l2sq),
    firstSuccessL2: over(first ?? [], ({ l2 }) => l2),
    firstSuccessLinf: over(first ?? [], ({ linf }) => linf),
    bestL2sq: over(best ?? [], ({ l2sq }) => l2sq),
    bestL2: over(best ?? [], ({ l2 }) => l2),
    bestLinf: over(best ?? [], ({ linf }) => linf),
    finalL2sq: over(final ?? [], ({ l2sq }) => l2sq),
    finalL2: over(final ?? [], ({ l2 }) => l2),
    finalLinf: over(final ?? [], ({ linf }) => linf),
    kept: kept / fooled.length,
    finalObjective: over(
      attacked.map((image) => image.final),
      ({ margin, l2sq }) => lambda * Math.max(margin, -kappa) + l2sq,
    ),
  }
}

function meanMedian(values: readonly number[]): MeanMedian {
  if (values.length === 0) return { mean: Number.NaN, median: Number.NaN }
  const { mean, median } = summarize(values)
  return { mean, median }
}

/** The 95 % confidence interval of a share (Wilson, 1927): it stays sensible for few images and for shares of 0 and 1. */
export function wilson(successes: number, count: number): [number, number] {
  if (count === 0) return [0, 1]
  const z = 1.959963984540054
  const share = successes / count
  const scale = 1 / (1 + (z * z) / count)
  const middle = scale * (share + (z * z) / (2 * count))
  const half = scale * z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
