import { describe, expect, it } from 'vitest'
import { summarize } from './summary.ts'
import { testRow } from './test-row.ts'
import { verdicts } from './verdicts.ts'

const solved = [1, 1, 1, 1, 1]

function verdictOn(what: string, rows: ReturnType<typeof testRow>[]) {
  return verdicts('auto', rows, summarize(rows)).find((each) => each.what === what)
}

describe('the goals', () => {
  it('are met by shares as they are printed', () => {
    // 29 of 30 is 0.9667, printed as 0.97: the goal.
    const rows = Array.from({ length: 30 }, (_, i) =>
      testRow({ group: 'box', problem: `p${i}`, hits: i === 0 ? [] : solved }),
    )
    expect(verdictOn('Bounds: 1e-3 @ 25', rows)).toMatchObject({ measured: '0.97 / 0.00 / -', met: true })
    expect(verdictOn('Bounds: queries outside', rows)).toMatchObject({ measured: '0 of 75000', met: true })
    const fewer = rows.map((row, i) => (i === 1 ? { ...row, hits: [], outside: 1 } : row))
    expect(verdictOn('Bounds: 1e-3 @ 25', fewer)?.met).toBe(false)
    expect(verdictOn('Bounds: queries outside', fewer)).toMatchObject({ measured: '1 of 75000', met: false })
  })

  it('are open where nothing was measured', () => {
    expect(verdictOn('BBOB, d = 5: 1e-3 @ 100', [testRow()])).toMatchObject({ measured: '- / - / -', met: undefined })
  })

  it('name the best peer that ran on all problems', () => {
    const rows = [
      testRow({ problem: 'a' }),
      testRow({ problem: 'b' }),
      testRow({ solver: 'partial', own: false, problem: 'a', hits: solved }),
      testRow({ solver: 'whole', own: false, problem: 'a', hits: solved }),
      testRow({ solver: 'whole', own: false, problem: 'b' }),
    ]
    expect(verdictOn('Moré-Wild, exact: 0.1 @ 10', rows)?.peer).toBe('0.50 whole')
  })

  it('compare large problems with L-BFGS-B, and 10,000 variables with fixed limits', () => {
    const large = { group: 'large-100', problem: 'rosenbrock-100' }
    const rows = [
      testRow({ ...large, best: 0.39 }),
      testRow({ ...large, solver: 'scipy-lbfgsb', own: false, best: 0.389 }),
    ]
    const what = 'Large, d = 100: left of rosenbrock-100'
    expect(verdictOn(what, rows)).toMatchObject({ measured: '3.9e-3 / 1.0e+0', peer: '3.9e-3 scipy-lbfgsb', met: true })
    expect(verdictOn(what, rows.slice(0, 1))?.met).toBe(undefined)
    const huge = [
      testRow({ group: 'large-10000', problem: 'logistic-10000', dim: 10_000, best: 0.05, microseconds: 41 }),
    ]
    expect(verdictOn('Large, d = 10,000: left of logistic-10000', huge)?.met).toBe(false)
    expect(verdictOn('Own time per query, d = 10,000', huge)).toMatchObject({ measured: '41.0 us', met: false })
  })
})
