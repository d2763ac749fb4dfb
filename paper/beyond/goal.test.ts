import { describe, expect, test } from 'vitest'
import { summarizeAttack } from '../../src/robustness/index.ts'
import { type Course, courseReport } from '../test/course-report.ts'
import type { Run } from './attacks.ts'
import { judge } from './goal.ts'

const cell = { name: 'x', spec: {}, calls: 0 }
const run = (course: Course): Run => ({ seed: 1, cell, report: courseReport({ images: 10, ...course }) })

/** An attack that fools only the first images. */
function fooling(count: number, course: Course): Run {
  const [some, none] = [
    courseReport({ images: 10, ...course }),
    courseReport({ images: 10, first: null, finalL2sq: 0 }),
  ]
  const images = [...some.images.slice(0, count), ...none.images.slice(count)]
  return { seed: 1, cell, report: { ...some, images, summary: summarizeAttack(images, { lambda: 10, kappa: 0 }) } }
}

describe('a method is judged against another', () => {
  const other = run({ first: 60, finalL2sq: 2 })

  test('by queries, by distortion and by success, and all three must do', () => {
    expect(judge([run({ first: 10, finalL2sq: 1 })], [other])).toMatchObject({
      isMet: true,
      isBetter: true,
      shortfalls: [],
    })
    expect(judge([run({ first: 30, finalL2sq: 1 })], [other])).toMatchObject({
      isMet: false,
      isBetter: true,
      shortfalls: ['not 4 times fewer queries'],
    })
    expect(judge([run({ first: 10, finalL2sq: 3 })], [other])).toMatchObject({
      isMet: false,
      isBetter: false,
      shortfalls: ['more distortion'],
    })
    expect(judge([fooling(9, { first: 10, finalL2sq: 1 })], [other])).toMatchObject({
      isMet: false,
      isBetter: false,
      success: 0.9,
      otherSuccess: 1,
      shortfalls: ['a lower success rate'],
    })
  })

  test('on the images both fooled: what it does to others does not count', () => {
    const found = judge([run({ first: 10, finalL2sq: 1 })], [fooling(5, { first: 60, finalL2sq: 2 })])
    expect(found).toMatchObject({ isMet: true, comparison: { images: 5 }, otherSuccess: 0.5 })
  })

  test('not on fewer than five images, however clear they are', () => {
    const found = judge([run({ first: 10, finalL2sq: 1 })], [fooling(4, { first: 60, finalL2sq: 2 })])
    expect(found).toMatchObject({ isMet: false, isBetter: false, isEnough: false, otherSuccess: 0.4 })
    expect(found.shortfalls).toEqual(['too few images fooled by both, 4'])
  })

  test('by the seeds that both have', () => {
    const own = [run({ first: 10, finalL2sq: 1 }), { ...fooling(2, { first: 10, finalL2sq: 1 }), seed: 2 }]
    expect(judge(own, [other])).toMatchObject({ isMet: true, success: 1, comparison: { seeds: 1, images: 10 } })
    expect(judge(own, [other, { ...other, seed: 2, report: undefined }])).toMatchObject({ success: 1 })
    const both = judge(own, [other, { ...other, seed: 2 }])
    expect(both).toMatchObject({ isMet: false, success: 0.6, comparison: { seeds: 2 } })
  })

  test('equal methods are not better than each other', () => {
    expect(judge([other], [other])).toMatchObject({ isMet: false, isBetter: false })
  })

  test('if the other fools no image it is better, though by how much cannot be said', () => {
    const robust = run({ first: null, finalL2sq: 0 })
    expect(judge([other], [robust])).toMatchObject({ isMet: false, isBetter: true, comparison: { images: 0 } })
    expect(judge([robust], [robust])).toMatchObject({ isMet: false, isBetter: false })
    expect(judge([robust], [other])).toMatchObject({ isMet: false, isBetter: false })
  })
})
