import { describe, expect, it } from 'vitest'
import { distances, testRow } from './test-row.ts'
import { verdicts } from './verdicts.ts'

const title = 'CIFAR-10, l-infinity 8/255'

function verdictOn(what: string, rows: ReturnType<typeof testRow>[], method = 'ours') {
  return verdicts(method, rows).find((each) => each.what === what)
}

/** Fifty images, all fooled with so many queries. */
function fooled(first: number, given: Partial<ReturnType<typeof testRow>> = {}) {
  return Array.from({ length: 50 }, (_, image) => testRow({ image, first, ...given }))
}

describe('the goals', () => {
  it('count images as the mean over seeds', () => {
    const rows = [...fooled(80), ...fooled(90, { seed: 2 })]
    expect(verdictOn(`${title}: success`, rows)).toMatchObject({ goal: '>= 50 of 50', measured: '50 of 50', met: true })
    const fewer = rows.map((row, i) => (i === 0 ? { ...row, first: undefined } : row))
    expect(verdictOn(`${title}: success`, fewer)).toMatchObject({ measured: '49.5 of 50', met: false })
    const late = (count: number) => rows.map((row, i) => (i < count ? { ...row, first: 501 } : row))
    const within = `${title}: success within 500 queries`
    expect(verdictOn(within, late(3))).toMatchObject({ measured: '48.5 of 50', met: false })
    expect(verdictOn(within, late(2))).toMatchObject({ goal: '>= 49 of 50', met: true })
  })

  it('compare queries and distances as they are printed', () => {
    const queries = `${title}: mean queries to the first success`
    expect(verdictOn(queries, fooled(100))).toMatchObject({ goal: '<= 100', measured: '100', met: true })
    expect(verdictOn(queries, fooled(101))).toMatchObject({ measured: '101', met: false })
    const near = (l2: number) => [testRow({ cell: 'digits-nearest', best: distances([10, l2]) })]
    const distance = 'Digits, nearest success: median l2 at 1,000'
    expect(verdictOn(distance, near(0.7004))).toMatchObject({ goal: '<= 0.700', measured: '0.700', met: true })
    expect(verdictOn(distance, near(0.7006))).toMatchObject({ measured: '0.701', met: false })
  })

  it('by labels only must be below, not at, the aim', () => {
    const labels = (l2: number) => [testRow({ cell: 'digits-labels', budget: 5000, best: distances([10, l2]) })]
    const what = 'Digits, nearest success by labels only: median l2 at 1,000'
    expect(verdictOn(what, labels(0.95))).toMatchObject({ goal: '< 0.950', met: false })
    expect(verdictOn(what, labels(0.949))?.met).toBe(true)
  })

  it('compare with the white-box limit image by image where it is known', () => {
    const near = { cell: 'digits-nearest', best: distances([10, 0.51]) }
    const limit = testRow({ ...near, solver: 'white-box', own: false, best: distances([10, 0.5]) })
    const what = 'Digits, nearest success: l2 against the white-box limit at 10,000'
    expect(verdictOn(what, [testRow(near), limit])).toMatchObject({ measured: '1.020', peer: '-', met: true })
    expect(verdictOn(what, [testRow(near)])).toMatchObject({ measured: '-', met: undefined })
  })

  it('name the best peer that attacked as many images and failed on the fewest, and never the white-box limit', () => {
    const peer = { own: false, version: 'p 1' }
    const rows = [
      ...fooled(100),
      ...fooled(120, { ...peer, solver: 'whole' }),
      ...fooled(130, { ...peer, solver: 'slower' }),
      ...fooled(20, { ...peer, solver: 'failing' }).map((row) =>
        row.image === 0 ? { ...row, first: undefined } : row,
      ),
      ...fooled(10, { ...peer, solver: 'partial' }).slice(1),
      ...fooled(1, { ...peer, solver: 'white-box' }),
    ]
    expect(verdictOn(`${title}: mean queries to the first success`, rows)?.peer).toBe('120 whole')
  })

  it('are open where nothing was measured, and can be stated for another method', () => {
    expect(verdictOn(`${title}: success`, [])).toMatchObject({ measured: '-', peer: '-', met: undefined })
    const rows = fooled(90, { solver: 'nearest-boundary' })
    expect(verdictOn(`${title}: success`, rows, 'nearest-boundary')?.met).toBe(true)
    expect(verdictOn(`${title}: success`, rows)?.met).toBeUndefined()
  })
})
