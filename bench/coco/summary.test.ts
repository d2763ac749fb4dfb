import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cocoText } from './page.ts'
import { targets } from './problems.ts'
import { type CocoRow, openCocoRows } from './rows.ts'
import { shareWithin, summarizeCoco } from './summary.ts'

/** A run that reached some first targets at given evaluations. */
function row(solver: string, reached: readonly number[], more: Partial<CocoRow> = {}): CocoRow {
  const hits = targets.map((_, k) => reached[k] ?? null)
  const key = { suite: 'bbob', dim: 5, function: 1, instance: 1, budget: 250 }
  return { solver, ours: solver === 'auto', ...key, evaluations: 250, best: 1, hits, own: 0.5, note: '', ...more }
}

describe('shares of targets on COCO', () => {
  test('count the targets of all problems that were reached in time, and none beyond the budget', () => {
    const rows = [row('auto', [1, 50, 51, 250]), row('auto', [10], { function: 2 })]
    expect(shareWithin(rows, 50)).toBe(3 / 102)
    const [table] = summarizeCoco(rows)
    expect(table?.standings[0]?.shares).toEqual([3 / 102, 4 / 102, 5 / 102, undefined, undefined, undefined, undefined])
    expect(table?.standings[0]).toMatchObject({ problems: 2, milliseconds: 2, failed: 0, infeasible: 0 })
  })

  test('rank solvers, count what failed or found nothing feasible, and stand beside the virtual best', () => {
    const rows = [
      row('random-search', [40]),
      row('auto', [3, 4, 5]),
      row('auto', [], { function: 2, best: null, note: 'failed: x' }),
    ]
    const [table] = summarizeCoco(rows)
    expect(table?.standings.map(({ solver }) => solver)).toEqual(['auto', 'random-search'])
    expect(table?.standings[0]).toMatchObject({ infeasible: 1, failed: 1 })
    expect(cocoText(summarizeCoco(rows))).toMatch(/BBOB, d = 5 \(2 problems\)[\s\S]*virtual best +0\.21 +- +0\.42/)
  })

  test('are read back from the folder of rows as they were written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coco-rows-'))
    const written = row('auto', [1, 2, 3])
    openCocoRows(folder).add(written)
    const store = openCocoRows(folder)
    expect(store.rows).toEqual([written])
    expect(store.has(written)).toBe(true)
    expect(store.has({ ...written, budget: 500 })).toBe(false)
  })
})
