import { describe, expect, it } from 'vitest'
import { distanceCurve, successCurve } from './charts.ts'
import { distanceRatio, firstQueries, meanSquare, medianDistance, rowsOf, successWithin, summarize } from './summary.ts'
import { distances, testRow } from './test-row.ts'

const nearest = { cell: 'digits-nearest' }

describe('measures of runs', () => {
  const runs = [testRow({ first: 10 }), testRow({ first: 600 }), testRow(), testRow({ first: 500 })]

  it('are the share of runs with a success, and the mean of its queries over those', () => {
    expect(successWithin(runs, 10_000)).toBe(0.75)
    expect(successWithin(runs, 500)).toBe(0.5)
    expect(firstQueries(runs, 10_000)).toBe(370)
    expect(firstQueries(runs, 500)).toBe(255)
    expect(firstQueries([testRow()], 500)).toBeNaN()
  })

  it('are the median distance, a run without success being infinitely far away', () => {
    const at = (l2: number) => testRow({ ...nearest, best: distances([100, l2]) })
    expect(medianDistance([at(1), at(3), at(2)], 1000)).toBe(2)
    expect(medianDistance([at(1), at(3), testRow(nearest)], 1000)).toBe(3)
    expect(medianDistance([at(1), testRow(nearest)], 1000)).toBe(Infinity)
    expect(medianDistance([at(1)], 50)).toBe(Infinity)
    expect(meanSquare([at(1), at(3), testRow(nearest)], 1000)).toBe(5)
  })

  it('are the distance against that of a reference, image by image, as a geometric mean', () => {
    const ours = [1, 2].map((l2, image) => testRow({ image, best: distances([100, l2]) }))
    const limit = [0.5, 0.25].map((l2, image) => testRow({ image, best: distances([10, l2]) }))
    expect(distanceRatio(ours, limit, 1000)).toBeCloseTo(4, 12)
    expect(distanceRatio(ours, [], 1000)).toBeNaN()
  })
})

describe('the summary of a cell', () => {
  it('lists methods of the library first, then peers by what they reach', () => {
    const peer = { own: false, version: 'p 1' }
    const rows = [
      testRow({ ...peer, solver: 'slow', first: 300 }),
      testRow({ ...peer, solver: 'broken', note: 'failed: no' }),
      testRow({ ...peer, solver: 'quick', first: 30 }),
      testRow({ first: 200 }),
      testRow({ first: 400, seed: 2 }),
    ]
    const [cell] = summarize(rows)
    expect(cell?.standings.map(({ solver }) => solver)).toEqual(['ours', 'quick', 'slow', 'broken'])
    expect(cell?.standings[0]).toMatchObject({ images: 1, seeds: 2, runs: 2, success: 1, firstQueries: 300, failed: 0 })
    expect(cell?.standings[0]?.at.map(({ success }) => success)).toEqual([0, 1, 1])
    expect(cell?.standings[3]).toMatchObject({ success: 0, firstQueries: Number.NaN, failed: 1 })
  })

  it('of labels counts the peers of the cell with scores, and not our runs there', () => {
    const rows = [
      testRow({ cell: 'digits-labels', budget: 5000 }),
      testRow({ ...nearest, solver: 'nearest-boundary' }),
      testRow({ ...nearest, solver: 'hopskipjump-art', own: false }),
      testRow({ ...nearest, solver: 'boundary-foolbox', own: false, budget: 300 }),
    ]
    expect(rowsOf('digits-labels', rows).map(({ solver }) => solver)).toEqual(['ours', 'hopskipjump-art'])
  })

  it('on a network that was given is named after it, counts failures with the budget, and compares with the white box', () => {
    const near = { cell: 'net/nearest/judging', budget: 11_001, best: distances([100, 0.5]) }
    const rows = [
      testRow({ cell: 'net/linf-4', budget: 5000, first: 100 }),
      testRow({ cell: 'net/linf-4', budget: 5000, image: 1 }),
      testRow(near),
      testRow({ ...near, solver: 'white-box', own: false, best: distances([100, 0.25]) }),
      testRow({ cell: 'net/labels/judging', budget: 5000 }),
      testRow({ ...near, solver: 'hopskipjump-art', own: false }),
    ]
    const found = summarize(rows)
    expect(found.map(({ cell }) => cell.title)).toEqual([
      'net, nearest success by labels only (judging images)',
      'net, l-infinity 4/255',
      'net, nearest success (judging images)',
    ])
    expect(found[0]?.standings.map(({ solver }) => solver)).toEqual(['ours', 'white-box', 'hopskipjump-art'])
    expect(found[1]?.standings[0]).toMatchObject({ success: 0.5, firstQueries: 100, cappedQueries: 2550 })
    const own = found[2]?.standings.find(({ solver }) => solver === 'ours')
    expect([own?.square, own?.ratio]).toEqual([0.25, 2])
  })

  it('leaves out runs with another budget, and cells without runs of their own', () => {
    expect(summarize([testRow({ budget: 100 })])).toEqual([])
    expect(summarize([testRow({ ...nearest, own: false })]).map(({ name }) => name)).toEqual(['digits-nearest'])
  })
})

describe('curves', () => {
  it('of success grow by the share of a run at its first success', () => {
    const runs = [testRow({ first: 50 }), testRow({ first: 10 }), testRow(), testRow({ first: 20_000 })]
    expect(successCurve(runs, 10_000)).toEqual({ x: [1, 10, 50, 10_000], y: [0, 0.25, 0.5, 0.5] })
  })

  it('of distances begin where half of the runs have a success', () => {
    const runs = [50, 100, 300].map((query) => testRow({ ...nearest, best: distances([query, 2], [1000, 1]) }))
    const { x, y } = distanceCurve(runs, 1000)
    expect(x).toEqual([100, 150, 200, 300, 400, 500, 700, 1000])
    expect(y.slice(0, 3)).toEqual([2, 2, 2])
    expect(y.at(-1)).toBe(1)
  })
})
