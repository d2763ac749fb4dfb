import type { AttackRecord } from '../../src/app/jobs/evaluation/attack-record.ts'
import type { JsonObject } from '../../src/app/spec/index.ts'

/** What an attack on the digits is. */
export function attackRecord(spec: JsonObject = {}): AttackRecord {
  const whole = {
    model: { name: 'digits', batch: 16 },
    images: 'digits:held-out',
    solver: { name: 'zo-adamm', learningRate: 0.07 },
    problem: { name: 'constrained' },
    lambda: 10,
    kappa: 0,
    maxQueries: 331,
    seed: 0,
    universal: false,
    ...spec,
  }
  return {
    id: 'a',
    created: '2026-01-02T03:04:05.678Z',
    zeroth: '0.1.0',
    machine: { node: '20' },
    spec: whole,
    given: whole,
    rateSource: 'given',
    model: { shape: { channels: 1, height: 28, width: 28 }, classes: 10, scores: 'logits', runtime: 'test' },
    images: { name: 'digits', available: 130 },
  }
}
