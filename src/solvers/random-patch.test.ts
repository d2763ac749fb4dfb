import { expect, test } from 'vitest'
import { coverPatch } from './random-patch.ts'

test('covers a rectangle of all channels with black or white, another one for another row', () => {
  const shape = { channels: 2, height: 5, width: 6 }
  const bounds = { lower: new Float64Array(60).fill(-1), upper: new Float64Array(60).fill(2) }
  const seen = new Set<string>()
  for (let row = 0; row < 40; row++) {
    const picture = new Float64Array(60)
    coverPatch(shape, bounds, { seed: 1, iteration: 2 }, row, picture)
    const colors = new Set(picture.filter((each) => each !== 0))
    expect(colors.size).toBe(1)
    expect(picture.slice(0, 30)).toEqual(picture.slice(30))
    seen.add(picture.join())
  }
  expect(seen.size).toBeGreaterThan(30)
})
