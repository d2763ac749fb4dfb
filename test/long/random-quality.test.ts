import { expect, test } from 'vitest'
import type { Kernels } from '../../src/optimizer/kernels/kernels.ts'
import { wasmKernels } from '../../src/optimizer/kernels/wasm.ts'
import { lags, partners, patterns } from '../statistics/independence.ts'
import { bins, longRow, moments, type Normals, rings, type Statistic, tails } from '../statistics/normal-sample.ts'
import { suspicious } from '../statistics/scores.ts'

// As test/random-quality.test.ts, on samples large enough to see deviations of a few parts in a hundred thousand.

const kernels = wasmKernels(2 ** 20) as Kernels
const normals: Normals = (at, tile, count, into) => kernels.normals(at, tile, count, into)

/** Rows of 2^20 normals with all kinds of addresses. */
function addRows(statistic: Statistic, rows: number): void {
  const row = new Float32Array(2 ** 20)
  for (let i = 0; i < rows; i++) {
    statistic.add(longRow(normals, { seed: i % 7, iteration: Math.floor(i / 10), row: i % 10 }, 256, row))
  }
}

test.each<[string, () => Statistic]>([
  ['moments 1 to 6', moments],
  ['tails beyond 1 to 5.5', () => tails([1, 2, 3, 4, 4.5, 5, 5.5])],
  ['4096 bins, of all and of each place of a step', () => bins(4096)],
  ['lags 1 to 16 and up to a tile', () => lags([...Array.from({ length: 16 }, (_, i) => i + 1), 64, 4096])],
  ['pairs of cosine and sine, and of neighbours', partners],
  ['patterns of signs and sizes', patterns],
])('1,073,741,824 normals have the right %s', (_, make) => {
  const statistic = make()
  addRows(statistic, 1024)
  expect(suspicious(statistic.scores())).toEqual({})
})

test('2,147,483,648 radii fill the rings out to 5.768, and as many as should lie beyond', () => {
  const statistic = rings(8, 24)
  addRows(statistic, 4096)
  expect(suspicious(statistic.scores())).toEqual({})
})

test('2,147,483,648 radii fill the rings beyond 5.768, where one word in 2^24 lies', () => {
  const statistic = rings(24, 28)
  addRows(statistic, 4096)
  expect(suspicious(statistic.scores())).toEqual({})
})
