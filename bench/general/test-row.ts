import { accuracies } from './oracle.ts'
import type { Row } from './rows.ts'

const never = accuracies.map(() => undefined)

/** A run for tests: of 4 variables, from 100 to a lowest value of 0, that reached nothing. */
export function testRow(given: Partial<Row> = {}): Row {
  return {
    solver: 'auto',
    own: true,
    group: 'more-wild',
    problem: 'p',
    dim: 4,
    noisy: false,
    budget: 2500,
    whole: true,
    seed: 1,
    initial: 100,
    lowest: 0,
    queries: 2500,
    outside: 0,
    best: 100,
    seen: 100,
    reported: 100,
    microseconds: 10,
    note: 'max-queries',
    hits: never,
    seenHits: never,
    ...given,
  }
}
