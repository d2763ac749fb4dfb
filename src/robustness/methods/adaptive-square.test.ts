import { describe, expect, test } from 'vitest'
import { points } from '../../optimizer/core/answers.ts'
import { createSession } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import type { Solver } from '../../optimizer/core/types.ts'
import { minimizeSync } from '../../optimizer/minimize/minimize-sync.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { attackProblem } from '../attack-problem.ts'
import { embeddedImages, embeddedModel } from '../embedded/embedded.ts'
import { constrained } from '../formulations.ts'
import { adaptiveSquare } from './adaptive-square.ts'
import { square } from './square.ts'

const shape = { channels: 2, height: 8, width: 8 }
const dim = 128

/** What is asked where values rise and fall as they come. */
function asked(options: Partial<SessionOptions>, count: number, valueAt = (i: number) => (i * 7) % 5): Float64Array[] {
  const session = createSession(new Float64Array(dim), { solver: adaptiveSquare(), shape, seed: 4, ...options })
  return Array.from({ length: count }, (_, i) => {
    const x = Float64Array.from(points(session.ask())[0] ?? [])
    session.tell([valueAt(i)])
    return x
  })
}

describe('with plain proposals it is Square', () => {
  const both = (options: Partial<SessionOptions>, from: number): [Float64Array[], Float64Array[]] => {
    const share = 0.5
    // The first value is that of the start, where it is asked.
    const own = asked(
      { ...options, solver: adaptiveSquare({ share, proposals: 'plain' }) },
      200 - from,
      (i) => (i + from) % 6,
    )
    return [own, asked({ ...options, solver: square({ share }) }, 200, (i) => i % 6).slice(from)]
  }

  test('query for query, to the bit', () => {
    const [own, squares] = both({ maxQueries: 1000 }, 0)
    expect(own).toEqual(squares)
  })

  test('in an attack, too, but for the original image, whose class is known: that is a query less', () => {
    const [own, squares] = both({ maxQueries: 1000, attack: { linf: 0.03 } }, 1)
    expect(own).toEqual(squares)
  })
})

describe('how far it goes', () => {
  test('as far as the attack allows, every pixel of it, from the first query on', () => {
    for (const each of asked({ attack: { linf: 0.03 } }, 200)) {
      expect(each.every((value) => Math.abs(value) === 0.03)).toBe(true)
    }
  })

  test('0.1 where there is no limit, and what is given where one is', () => {
    expect(asked({}, 2)[1]?.every((value) => Math.abs(value) === 0.1)).toBe(true)
    const solver = adaptiveSquare({ radius: 0.4 })
    expect(asked({ solver, attack: { linf: 0.03 } }, 1)[0]?.every((value) => Math.abs(value) === 0.4)).toBe(true)
  })
})

describe('what it proposes', () => {
  const changes = (more: readonly Float64Array[], kept: Float64Array): number[] =>
    more.map((each) => each.filter((value, i) => value !== kept[i]).length)

  test('textures over the whole of an image with colours at first, then parts of it that become smaller', () => {
    const [first, ...more] = asked({ attack: { linf: 0.1 }, maxQueries: 400 }, 390, (i) => i) as [Float64Array]
    const sizes = changes(more, first)
    expect(Math.min(...sizes.slice(0, 8))).toBeGreaterThan(dim / 4)
    // In the last fifth Square's windows are single pixels, and slopes are followed in squares of twice that side.
    expect(Math.max(...sizes.slice(320))).toBeLessThanOrEqual(8)
  })

  test('each proposal differs from the point kept, and never asks what it has kept again', () => {
    let kept: Float64Array | undefined
    asked({ attack: { linf: 0.1 } }, 300, (i) => -i).forEach((each) => {
      expect(each).not.toEqual(kept)
      kept = each
    })
  })

  test('slopes that were learned choose the signs: a linear function is brought down in less than two thirds of the queries of Square', () => {
    const gray = { channels: 1, height: 12, width: 12 }
    const weights = Float64Array.from({ length: 144 }, (_, i) => ((i * 37) % 11) - 5)
    const costOf = (x: Float64Array) => x.reduce((sum, each, i) => sum + each * (weights[i] as number), 0)
    const target = -0.1 * 0.85 * weights.reduce((sum, each) => sum + Math.abs(each), 0)
    const queriesOf = (solver: Solver): number =>
      [1, 2, 3, 4]
        .map((seed) =>
          minimizeSync(costOf, new Float64Array(144), { solver, shape: gray, seed, target, maxQueries: 3000 }),
        )
        .reduce((sum, { queries }) => sum + queries, 0)
    expect(queriesOf(adaptiveSquare())).toBeLessThan(0.66 * queriesOf(square()))
  })

  test('goes by the loss: the length that an attack adds to its values does not matter', () => {
    const pixelsUp = (addsSquares: boolean): number => {
      // Going up helps a little, and adds more to the length than it takes off the loss.
      const set = box({ lower: 0, upper: 0.1 })
      const options = { solver: adaptiveSquare(), shape, set, attack: { linf: 0.1, addsSquares }, maxQueries: 400 }
      const costOf = (x: Float64Array) => x.reduce((sum, each) => sum - 0.01 * each + each * each, 0)
      const { last } = minimizeSync(costOf, new Float64Array(dim), options)
      return last.point.filter((each) => each > 0).length
    }
    expect(pixelsUp(true)).toBeGreaterThan(0.9 * dim)
    expect(pixelsUp(false)).toBeLessThan(0.1 * dim)
  })
})

test('stays in the set', () => {
  const set = box({ lower: 0, upper: 0.05 })
  const costOf = (x: Float64Array) => {
    expect(x.every((each) => each === 0 || each === 0.05)).toBe(true)
    return -x.reduce((sum, each) => sum + each, 0)
  }
  const run = minimizeSync(costOf, new Float64Array(dim), { solver: adaptiveSquare(), shape, set, maxQueries: 300 })
  expect(run.value).toBeCloseTo(-0.05 * dim, 9)
})

describe('on the embedded networks', () => {
  /** The mean of the queries to a success, failures at the budget. */
  async function meanQueries(
    name: 'digits' | 'cifar10',
    linf: number,
    solver: Solver,
    images: number,
    target?: 'next',
  ): Promise<number> {
    const model = await embeddedModel(name).open()
    const dataset = await embeddedImages(name, 'tuning')
    const maxQueries = 500
    let sum = 0
    for (let index = 0; index < images; index++) {
      const { pixels } = await dataset.read(index)
      const label = dataset.label(index) as number
      const goal = { pixels, label, target: target && (label + 1) % model.classes }
      const { objective, start, set, attack, account, shape } = attackProblem(model, [goal], {
        formulation: constrained({ linf }),
      })
      const session = createSession(start, {
        solver,
        set,
        attack,
        shape,
        maxQueries,
        seed: index,
        precision: 'float32',
      })
      while (session.outcome === undefined && account.tracks[0]?.first === null) {
        const answers = session.answers()
        await objective.evaluate(session.ask(), answers)
        session.tell(answers)
      }
      sum += account.tracks[0]?.first?.queries ?? maxQueries
    }
    await model.close()
    return sum / images
  }

  test('it needs at most 0.9 of the queries of Square: on digits, and on pictures with colours', async () => {
    const share = 0.8
    for (const [name, linf] of [
      ['digits', 0.05],
      ['cifar10', 8 / 255],
    ] as const) {
      const plain = await meanQueries(name, linf, square({ share }), 12)
      expect(await meanQueries(name, linf, adaptiveSquare({ share }), 12)).toBeLessThan(0.9 * plain)
    }
  })

  test('it aims at a class in fewer queries than Square', async () => {
    const plain = await meanQueries('digits', 0.15, square(), 16, 'next')
    expect(await meanQueries('digits', 0.15, adaptiveSquare(), 16, 'next')).toBeLessThan(0.95 * plain)
  })
})

test('the size of the image must be known', () => {
  expect(() => createSession([1, 2], { solver: adaptiveSquare() })).toThrow(
    'adaptive-square needs to know the size of the image',
  )
})
