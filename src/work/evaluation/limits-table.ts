import type { LimitSummary } from '../../attacks/index.ts'
import { type Cell, csvLine } from '../csv-cell.ts'

const columns: Readonly<Record<string, (limit: LimitSummary) => Cell>> = {
  linf: ({ linf }) => linf,
  l2: ({ l2 }) => l2,
  robustAccuracy: ({ robustAccuracy }) => robustAccuracy,
  intervalLow: ({ robustAccuracyInterval: [low] }) => low,
  intervalHigh: ({ robustAccuracyInterval: [, high] }) => high,
  fooled: ({ fooled }) => fooled,
  robust: ({ robust }) => robust,
  unmeasured: ({ unmeasured }) => unmeasured,
  queries: ({ queries }) => queries,
}

/** Robust accuracy against the limit as a CSV table, the smallest limit first. */
export function limitsCsv(limits: readonly LimitSummary[]): string {
  const lines = limits.map((limit) => Object.values(columns).map((cell) => cell(limit)))
  return [Object.keys(columns), ...lines].map(csvLine).join('')
}
