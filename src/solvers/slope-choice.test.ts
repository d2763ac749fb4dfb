import { expect, test } from 'vitest'
import type { Span } from '../core/types.ts'
import { slopeChoice } from './slope-choice.ts'
import { coordinateSpan } from './slope-memory.ts'

/** A basis whose vectors are of the groups given. */
const grouped = (groups: readonly number[]): Span => ({
  ...coordinateSpan(groups.length),
  group: (index) => groups[index] as number,
})

/** Takes slopes of the sizes given, `count` at a time; returns the vectors in the order in which they were taken. */
function take(span: Span, slopeOf: (vector: number) => number, count: number, times: number, seed = 1): number[] {
  const choose = slopeChoice(seed, span)
  const [slopes, taken] = [new Float64Array(span.dim), new Float64Array(span.dim)]
  const order: number[] = []
  for (let i = 0; i < times; i++) {
    choose({ slopes, taken }, order.length, count).forEach((vector) => {
      slopes[vector] = slopeOf(vector)
      order.push(vector)
      taken[vector] = order.length
    })
  }
  return order
}

test('takes every slope once before any is taken again, in an order that depends on the seed alone', () => {
  const order = take(coordinateSpan(30), () => 1, 5, 6)
  expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i))
  expect(take(coordinateSpan(30), () => 1, 5, 6)).toEqual(order)
  expect(take(coordinateSpan(30), () => 1, 5, 6, 2)).not.toEqual(order)
})

test('also where no slope is found at all', () => {
  expect(new Set(take(coordinateSpan(30), () => 0, 5, 6)).size).toBe(30)
})

test('tries every group, then takes the slopes of the steep ones first', () => {
  // Ten groups of ten that are not akin; the last is steep.
  const groups = Array.from({ length: 100 }, (_, i) => 3 * Math.floor(i / 10))
  const order = take(grouped(groups), (vector) => (vector >= 90 ? 5 : 1), 8, 7)
  expect(new Set(order.slice(0, 40).map((vector) => groups[vector])).size).toBe(10)
  expect(order.filter((vector) => vector >= 90)).toHaveLength(10)
})

test('groups next to a steep one are expected to be steep, too', () => {
  // Forty of group 0, which is steep, five of a group next to it, and forty of one far away; all have been tried.
  const groups = Array.from({ length: 85 }, (_, i) => (i < 40 ? 0 : i < 45 ? 1 : 10))
  const choose = slopeChoice(1, grouped(groups))
  const [slopes, taken] = [new Float64Array(85), new Float64Array(85)]
  for (const [vector, slope] of [...Array.from({ length: 40 }, (_, i) => [i, 9]), [40, 1], [41, 1], [45, 1], [46, 1]]) {
    slopes[vector as number] = slope as number
    taken[vector as number] = 1
  }
  expect([...choose({ slopes, taken }, 44, 3)].sort()).toEqual([42, 43, 44])
})

test('known slopes are taken again when all are known, those of steep groups more often', () => {
  const groups = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0 : 10))
  const order = take(grouped(groups), (vector) => (vector < 20 ? 3 : 1), 4, 60)
  const again = order.slice(40)
  const steep = again.filter((vector) => vector < 20).length
  expect(steep).toBeGreaterThan(0.6 * again.length)
  expect(steep).toBeLessThan(0.95 * again.length)
})

test('what is expected of single vectors counts', () => {
  const span: Span = { ...coordinateSpan(20), prospect: (index) => (index < 5 ? 10 : 1) }
  expect(take(span, () => 1, 6, 1).filter((vector) => vector < 5)).toHaveLength(5)
})
