import { describe, expect, test } from 'vitest'
import { points } from '../../optimizer/core/answers.ts'
import { createSession } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import type { AttackFacts, Solver } from '../../optimizer/core/types.ts'
import { minimizeSync } from '../../optimizer/minimize/minimize-sync.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { square } from './square.ts'

const shape = { channels: 2, height: 6, width: 5 }
const dim = 60

/** All that is asked when the values fall all the time, or never. */
function asked(options: Partial<SessionOptions>, falls: boolean): Float64Array[] {
  const session = createSession(new Float64Array(dim), {
    solver: square(),
    shape,
    maxQueries: 100,
    seed: 4,
    ...options,
  })
  const seen: Float64Array[] = []
  while (session.outcome === undefined) {
    seen.push(Float64Array.from(points(session.ask())[0] ?? []))
    session.tell([falls ? -seen.length : seen.length])
  }
  return seen
}

/** Where two points differ: rows and columns from and to, and whether all of that is different in some channel. */
function changed(a: Float64Array, b: Float64Array): { rows: number; columns: number; isFull: boolean } {
  const places = Array.from({ length: dim }, (_, i) => i).filter((i) => a[i] !== b[i])
  const spread = (of: number[]) => (of.length === 0 ? 0 : Math.max(...of) - Math.min(...of) + 1)
  const rows = spread(places.map((i) => Math.floor((i % 30) / 5)))
  const columns = spread(places.map((i) => i % 5))
  return { rows, columns, isFull: places.length === rows * columns || places.length === 2 * rows * columns }
}

const lengthOf = (x: Float64Array): number => Math.sqrt(x.reduce((sum, each) => sum + each * each, 0))

/** How many rows of an image of 40 x 40 two points differ in. */
function changedRows(a: Float64Array, b: Float64Array): number {
  return new Set(Array.from(a.keys()).flatMap((i) => (a[i] === b[i] ? [] : [Math.floor(i / 40)]))).size
}

describe('what is tried', () => {
  test('the start, then stripes: all of a column of a channel on one side', () => {
    const [first, stripes] = asked({ solver: square({ radius: 0.25 }) }, true)
    expect(first?.every((each) => each === 0)).toBe(true)
    expect(
      stripes?.every((each, i) => Math.abs(each) === 0.25 && each === stripes[i < 30 ? i % 5 : 30 + (i % 5)]),
    ).toBe(true)
    expect(Array.from(stripes?.filter((_, i) => i % 30 < 5) ?? [], Math.sign)).toEqual([
      -1, -1, 1, -1, -1, -1, -1, -1, -1, -1,
    ])
  })

  test('stripes are on either side equally often', () => {
    const signs = Array.from({ length: 100 }, (_, seed) => asked({ seed, maxQueries: 3 }, true)[1] ?? [])
    const up = signs.flatMap((each) => Array.from(each)).filter((each) => each > 0).length
    // Five standard deviations: ten stripes of six pixels in each of a hundred runs.
    expect(Math.abs(up / 6 - 500)).toBeLessThan(5 * Math.sqrt(250))
  })

  test('then everything stays on one of the sides, and what is tried differs from what is kept', () => {
    for (const falls of [true, false]) {
      const [, stripes, ...more] = asked({}, falls)
      let kept = stripes ?? new Float64Array(dim)
      for (const each of more.slice(0, -1)) {
        expect(each.every((value) => Math.abs(value) === 0.1)).toBe(true)
        expect(each).not.toEqual(kept)
        if (falls) kept = each
      }
    }
  })

  test('squares become smaller as the budget is spent: half as large after each of the published shares of it', () => {
    const [, stripes, ...more] = asked({ solver: square({ share: 1 }), maxQueries: 1001 }, false)
    const sides = more.slice(0, -1).map((each) => {
      const { rows, columns } = changed(each, stripes as Float64Array)
      return Math.max(rows, columns)
    })
    const largest = (from: number, to: number) => Math.max(...sides.slice(from - 3, to - 2))
    // sqrt(30 / 2) is 4 after 1 of 1000, sqrt(30 / 4) is 3 after 5, 2 after 20, and 1 after 50.
    expect([largest(3, 5), largest(6, 20), largest(21, 50), largest(51, 1000)]).toEqual([4, 3, 2, 1])
  })

  test('squares have one side per channel and keep their shape', () => {
    const [, stripes, ...more] = asked(
      { solver: square({ share: 0.5 }), maxQueries: 100_000, maxIterations: 20 },
      false,
    )
    expect(more.length).toBeGreaterThan(10)
    for (const each of more) expect(changed(each, stripes as Float64Array).rows).toBeLessThanOrEqual(4)
  })
})

describe('the limit of an attack', () => {
  test('is how far every pixel is moved, unless a radius is given', () => {
    const moved = (solver: Solver, attack: AttackFacts) => new Set(asked({ solver, attack }, true)[1]?.map(Math.abs))
    expect(moved(square(), { linf: 0.03 })).toEqual(new Set([0.03]))
    expect(moved(square(), {})).toEqual(new Set([0.1]))
    expect(moved(square({ radius: 0.2 }), { linf: 0.03 })).toEqual(new Set([0.2]))
  })

  test('is the length of every change where it is one of length alone, all of it in use', () => {
    for (const falls of [true, false]) {
      const [start, ...more] = asked({ attack: { l2: 2 } }, falls)
      expect(lengthOf(start as Float64Array)).toBe(0)
      for (const each of more.slice(0, -1)) expect(lengthOf(each)).toBeCloseTo(2, 9)
    }
  })

  test('decides with the budget how much the first squares cover: less where there are more queries', () => {
    const image = { channels: 1, height: 40, width: 40 }
    const size = (maxQueries: number) => {
      const session = createSession(new Float64Array(1600), {
        solver: square(),
        shape: image,
        attack: { linf: 0.1 },
        maxQueries,
      })
      const seen = [1, 2, 3].map((value) => {
        const x = Float64Array.from(points(session.ask())[0] ?? [])
        session.tell([value])
        return x
      })
      return changedRows(seen[1] as Float64Array, seen[2] as Float64Array)
    }
    // sqrt(0.05 of 1600) and sqrt(0.3 of 1600), halved once already in the shorter run.
    expect([size(10_000), size(1000)]).toEqual([9, 15])
  })
})

test('on a slope that likes one side of each half it finds most of them', () => {
  const costOf = (x: Float64Array) => x.reduce((sum, each, i) => sum + (i % 5 < 3 ? each : -each), 0)
  const solver = square({ radius: 0.5 })
  const run = minimizeSync(costOf, new Float64Array(dim), { solver, shape, maxQueries: 1000, seed: 2 })
  expect(run.value).toBeLessThan(-0.5 * dim + 2)
  expect(run.last.value).toBe(run.value)
})

test('stays in the set', () => {
  const set = box({ lower: 0, upper: 0.05 })
  const costOf = (x: Float64Array) => {
    expect(x.every((each) => each === 0 || each === 0.05)).toBe(true)
    return -x.reduce((sum, each) => sum + each, 0)
  }
  minimizeSync(costOf, new Float64Array(dim), { solver: square(), shape, set, maxQueries: 60 })
})

describe('the size of the image', () => {
  test('must be known', () => {
    const message =
      'square needs to know the size of the image: give { channels, height, width } as session.shape (in a spec: the key ' +
      'shape) or as square.shape'
    expect(() => createSession([1, 2], { solver: square() })).toThrow(message)
  })

  test('must fit', () => {
    const solver = square({ shape: { channels: 1, height: 2, width: 2 } })
    expect(() => createSession([1, 2], { solver })).toThrow(
      'square.shape must have as many pixels as variables, 2, got 1 x 2 x 2 = 4',
    )
  })
})
