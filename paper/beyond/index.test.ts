import { describe, expect, test } from 'vitest'
import { compileAttack } from '../../src/app/spec/attack/index.ts'
import type { Cell, Results } from '../reproduction/tables/experiment.ts'
import { type PlanOptions, planOf } from '../reproduction/tables/plan.ts'
import { tableA3 } from '../reproduction/tables/table-a3.ts'
import { type Course, courseReport } from '../test/course-report.ts'
import { beyond } from './index.ts'

/** Results of made-up attacks, by what the names of cells contain; the first that fits counts. */
function resultsOf(courses: Readonly<Record<string, Course | undefined>>): Results {
  const report = ({ name }: Cell) => {
    const [, course] = Object.entries(courses).find(([part]) => name.includes(part)) ?? []
    return course === undefined ? undefined : courseReport(course)
  }
  const none = () => undefined
  return { report, snapshot: none, picture: none, shape: none, classNames: none }
}

const nothing = resultsOf({})
const all = resultsOf({ '': { first: 10, finalL2sq: 1 } })
const cellsOf = (options: PlanOptions, results = all) => beyond.cells(planOf(options), results)
const named = (cells: readonly Cell[], name: string) => cells.find((each) => each.name === name)

describe('the attacks of the comparison', () => {
  test('begin with what needs no rate and the searches, and go on when these are known', () => {
    const [first, later] = [nothing, all].map((results) => cellsOf({ scale: 'quick' }, results))
    expect(first).toHaveLength(4 + 1 + 30 + 5 + 4)
    expect(later).toHaveLength(11 + 30 + 5 + 4)
    expect(named(first ?? [], 'digits-per-image-constrained-zo-adamm')).toBeUndefined()
    expect(named(later ?? [], 'digits-per-image-constrained-zo-adamm')).toBeDefined()
  })

  test('are sound, have names of their own, and ask as much as the paper does', async () => {
    for (const options of [{ scale: 'quick' }, { scale: 'standard' }] as const) {
      const cells = cellsOf(options)
      expect(new Set(cells.map(({ name }) => name)).size).toBe(cells.length)
      for (const { name, spec } of cells) {
        await expect(compileAttack(spec)).resolves.toBeDefined()
        expect(spec).toMatchObject({ problem: 'constrained', lambda: 10, kappa: 0 })
        const budget = spec.maxIterations === undefined ? spec.maxQueries : 11 * Number(spec.maxIterations) + 1
        expect([name, budget]).toEqual([name, options.scale === 'quick' ? 3301 : 11_001])
        expect(name.startsWith('digits-')).toBe(spec.model === 'digits')
      }
    }
  })

  test('share those of the paper where they are the same', () => {
    const paper = new Map(tableA3.cells(planOf({ scale: 'standard' }), all).map((cell) => [cell.name, cell]))
    const own = cellsOf({ scale: 'standard' })
    const shared = [...paper.values()].filter(
      ({ name }) => /constrained-zo-(adamm|psgd|nes)/.test(name) && !name.includes('uncon'),
    )
    expect(shared).toHaveLength(18)
    for (const cell of shared) expect(named(own, cell.name)).toEqual(cell)
  })

  test('of the standard scale are with three seeds where it matters, on images that nothing was tuned on', () => {
    const cells = cellsOf({ scale: 'standard', seed: 7 })
    const seeds = (part: string) =>
      cells.filter(({ name }) => name.replace(/-seed-\d+$/, '') === part).map(({ name, spec }) => [name, spec.seed])
    expect(seeds('beyond-zeroth')).toEqual([
      ['beyond-zeroth', 7],
      ['beyond-zeroth-seed-8', 8],
      ['beyond-zeroth-seed-9', 9],
    ])
    expect(seeds('per-image-constrained-zo-adamm').map(([, seed]) => seed)).toEqual([7, 8, 9])
    expect(seeds('beyond-both')).toHaveLength(1)
    expect(seeds('digits-beyond-both')).toHaveLength(3)
    for (const { name, spec } of cells) {
      expect([name, spec.images]).toEqual([name, name.includes('search-') ? `${spec.model}:tuning` : spec.model])
      expect([name, spec.count]).toEqual([name, !name.includes('search-') ? 100 : spec.model === 'digits' ? 30 : 20])
    }
  })

  test('come in the order of what they say: the digits first, methods of the goal before others', () => {
    const cells = cellsOf({ scale: 'standard' })
    const order = (name: string) => named(cells, name)?.order ?? 0
    expect(order('digits-beyond-zeroth')).toBe(order('digits-per-image-constrained-zo-adamm'))
    expect(order('digits-beyond-square')).toBeLessThan(order('beyond-zeroth'))
    expect(order('beyond-zeroth')).toBe(order('per-image-constrained-zo-adamm-seed-2'))
    expect(order('beyond-search-zeroth-growth-1.2')).toBeLessThan(order('beyond-search-both-0.003'))
    expect(order('beyond-both')).toBeLessThan(order('beyond-simba'))
    expect(cellsOf({ scale: 'quick' }).every((cell) => cell.order === undefined)).toBe(true)
  })

  test('are fewer and shorter where that is wanted', () => {
    for (const { spec } of cellsOf({ scale: 'standard', count: 25, iterations: 50 })) {
      expect(Number(spec.count)).toBeLessThanOrEqual(25)
      expect([1051, 551]).toContain(spec.maxQueries)
    }
    const small = cellsOf({ scale: 'standard', count: 25 })
    expect(named(small, 'digits-beyond-search-simba')?.spec.count).toBe(25)
    expect(named(small, 'beyond-search-simba')?.spec.count).toBe(20)
  })

  test("of the full scale have the paper's rates, the user's images and no search", () => {
    const subject = { model: 'net.onnx', images: 'photos' }
    const cells = cellsOf({ scale: 'full', subject }, nothing)
    expect(cells.map(({ name }) => name)).toEqual([
      'beyond-zeroth',
      'per-image-constrained-zo-adamm',
      'per-image-constrained-zo-psgd',
      'per-image-constrained-zo-nes',
      'beyond-scalar',
      'beyond-subspace',
      'beyond-both',
      'beyond-simba',
      'beyond-square',
      'beyond-sign-hunter',
      'beyond-two-phase',
    ])
    expect(named(cells, 'beyond-both')?.spec).toMatchObject({
      ...subject,
      solver: {
        name: 'zo-normalized',
        learningRate: { value: 0.006, decay: 'sqrt' },
        directions: 10,
        smoothing: 0.005,
      },
    })
  })
})
