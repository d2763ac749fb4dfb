import { type AttackReport, type ImageRecord, summarizeAttack } from '../../src/robustness/index.ts'

import { attackPoint, imageRecord } from '../../test/attacks/image-record.ts'

/** What a made-up attack does. */
export interface Course {
  readonly images?: number
  /** Iteration of the first success; null where there is none. A little different for every image. */
  readonly first: number | null
  /** Squared distortion at the first success and at the end. */
  readonly firstL2sq?: number
  readonly finalL2sq: number
  readonly loss?: number
  readonly iterations?: number
  /** Queries per iteration. */
  readonly rows?: number
}

/** An evaluation that went a certain way: its images differ by less than any difference that counts. */
export function courseReport(course: Course): AttackReport {
  const images = Array.from({ length: course.images ?? 10 }, (_, index) => imageOf(index, course))
  return { summary: summarizeAttack(images, { lambda: 10, kappa: 0 }), images, universal: null, warnings: [] }
}

function imageOf(
  index: number,
  { first, firstL2sq, finalL2sq, loss = 0, iterations = 100, rows = 11 }: Course,
): ImageRecord {
  const jitter = 0.001 * (index % 3)
  const at = (iteration: number, l2sq: number, fooled: boolean) =>
    attackPoint({ iteration, queries: 1 + rows * iteration, l2sq: l2sq + jitter, fooled, margin: fooled ? -0.1 : loss })
  const when = first === null ? null : first + (index % 2)
  const iteration = Array.from({ length: iterations + 1 }, (_, i) => i)
  const begin = firstL2sq ?? finalL2sq
  return imageRecord({
    index,
    title: String(index),
    status: when === null ? 'robust' : 'fooled',
    first: when === null ? null : at(when, begin, true),
    best: when === null ? null : at(when, begin, true),
    final: at(iterations, finalL2sq, when !== null),
    queries: 1 + rows * iterations,
    curve: {
      iteration,
      queries: iteration.map((i) => 1 + rows * i),
      loss: iteration.map((i) => (when !== null && i >= when ? 0 : Math.max(loss, 0) + (iterations - i) / iterations)),
      l2sq: iteration.map((i) => (when === null || i < when ? 0 : i === when ? begin + jitter : finalL2sq + jitter)),
      linf: iteration.map(() => 0.1),
      fooled: iteration.map((i) => (when !== null && i >= when ? 1 : 0)),
    },
  })
}
