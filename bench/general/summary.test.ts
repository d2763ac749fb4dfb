import { describe, expect, it } from 'vitest'
import { profile } from './profile-chart.ts'
import { shares, summarize } from './summary.ts'
import { testRow } from './test-row.ts'

/** First queries at 0.1, 0.01, 1e-3, 1e-5 and 1e-7. */
const reaching = (at3: number | undefined) => [1, 1, at3, undefined, undefined]

describe('shares of problems', () => {
  it('are means over problems of means over seeds', () => {
    const rows = [
      testRow({ problem: 'a', seed: 1, hits: reaching(100) }),
      testRow({ problem: 'a', seed: 2, hits: reaching(undefined) }),
      testRow({ problem: 'b', hits: reaching(126) }),
      testRow({ problem: 'c', hits: reaching(125) }),
    ]
    // 25 simplex gradients of 4 variables are 125 queries.
    expect(shares(rows, [1e-3, 25]).any).toBeCloseTo((0.5 + 0 + 1) / 3, 12)
    expect(shares(rows, [1e-3, 100]).any).toBeCloseTo((0.5 + 1 + 1) / 3, 12)
  })

  it('tell any query, the lowest answer and the reported point apart', () => {
    const rows = [
      testRow({ hits: reaching(50), seenHits: reaching(200), reported: 5 }),
      testRow({ budget: 125, whole: false, reported: 0.05 }),
    ]
    expect(shares(rows, [1e-3, 25])).toEqual({ any: 1, seen: 0, reported: 1 })
    expect(shares(rows, [1e-3, 100])).toEqual({ any: 1, seen: 1, reported: undefined })
    expect(shares(rows, [1e-3, 500])).toEqual({ any: 1, seen: 1, reported: 0 })
  })

  it('are undefined where nothing was run', () => {
    expect(shares([], [1e-3, 25])).toEqual({ any: undefined, seen: undefined, reported: undefined })
  })
})

describe('the summary of a group', () => {
  it('lists methods of the library first, then peers by what they solve', () => {
    const rows = [
      testRow({ solver: 'weak-peer', own: false }),
      testRow({ solver: 'strong-peer', own: false, hits: reaching(10) }),
      testRow({ solver: 'auto', note: 'failed: x', outside: 2 }),
    ]
    const [group] = summarize(rows)
    expect(group?.standings.map(({ solver }) => solver)).toEqual(['auto', 'strong-peer', 'weak-peer'])
    expect(group?.standings[0]).toMatchObject({ problems: 1, seeds: 1, failed: 1, outside: 2, microseconds: 10 })
  })

  it('gives what is left of the way as the median over seeds', () => {
    const rows = [10, 30, 20].map((best, i) => testRow({ seed: i + 1, best, reported: 2 * best, lowest: 0 }))
    expect(summarize(rows)[0]?.standings[0]?.remainders).toEqual({ p: { best: 0.2, reported: 0.4 } })
  })
})

describe('a data profile', () => {
  it('grows by the weight of each run where it reaches the accuracy', () => {
    const rows = [
      testRow({ problem: 'a', seed: 1, hits: reaching(50) }),
      testRow({ problem: 'a', seed: 2, hits: reaching(5) }),
      testRow({ problem: 'b', hits: reaching(20) }),
      testRow({ problem: 'c', hits: reaching(undefined) }),
    ]
    const { k, share } = profile(rows, 1e-3)
    expect(k).toEqual([1, 4, 10])
    expect(share.map((each) => Number(each.toFixed(6)))).toEqual([0.166667, 0.5, 0.666667])
  })
})
