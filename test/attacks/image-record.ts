import type { AttackPoint, ImageRecord } from '../../src/robustness/records.ts'

/** An evaluated point, as far as it is not given. */
export function attackPoint(given: Partial<AttackPoint> = {}): AttackPoint {
  const l2sq = given.l2sq ?? 0.25
  return {
    iteration: 3,
    queries: 34,
    margin: -0.5,
    predicted: 7,
    fooled: true,
    l2sq,
    l2: Math.sqrt(l2sq),
    linf: 0.1,
    ...given,
  }
}

/** The record of an image, as far as it is not given. */
export function imageRecord(given: Partial<ImageRecord> = {}): ImageRecord {
  return {
    index: 0,
    title: 'a.png',
    label: 3,
    predicted: 3,
    target: null,
    status: 'fooled',
    reason: null,
    queries: 331,
    modelCalls: 333,
    failedQueries: 0,
    retries: 0,
    first: attackPoint(),
    best: attackPoint({ iteration: 9, queries: 100, l2sq: 0.16 }),
    final: attackPoint({ iteration: 30, queries: 331, l2sq: 0.2 }),
    success8bit: true,
    saved: { l2sq: 0.17, l2: 0.41, linf: 0.1, predicted: 7, from: 'best' },
    files: { original: 'images/0000/original.png', adversarial: 'images/0000/adversarial.png' },
    stopReason: 'max-queries',
    curve: { iteration: [0, 30], queries: [1, 331], loss: [4, 0], l2sq: [0, 0.2], linf: [0, 0.1], fooled: [0, 1] },
    ...given,
  }
}
