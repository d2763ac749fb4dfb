import { expect, test } from 'vitest'
import { textureCount, writeTexture } from './textures.ts'

const shape = { channels: 1, height: 4, width: 4 }
const whole = { top: 0, left: 0, height: 4, width: 4 }
const rows = (x: Float64Array): string[] =>
  [0, 1, 2, 3].map((row) => Array.from(x.subarray(4 * row, 4 * row + 4), (each) => '-0+'[each + 1]).join(''))

function drawn(texture: number, window = whole): string[] {
  const into = new Float64Array(16).fill(9)
  writeTexture(shape, texture, window, () => 0, into)
  return rows(into)
}

test('the first texture is even, others are stripes and checks, up to a change at each pixel', () => {
  expect(drawn(0)).toEqual(['++++', '++++', '++++', '++++'])
  expect(drawn(5)).toEqual(['+-+-', '+-+-', '+-+-', '+-+-'])
  expect(drawn(3)).toEqual(['++--', '++--', '++--', '++--'])
  expect(drawn(textureCount - 1)).toEqual(['+-+-', '-+-+', '+-+-', '-+-+'])
})

test('outside its window there is nothing', () => {
  expect(drawn(0, { top: 1, left: 2, height: 2, width: 2 })).toEqual(['0000', '00++', '00++', '0000'])
})

test('every channel has a sign and phases of its own', () => {
  const into = new Float64Array(8)
  const draws = [0.9, 0, 0, 0.1, 0, 0.5]
  writeTexture({ channels: 2, height: 1, width: 4 }, 5, { ...whole, height: 1 }, (i) => draws[i] ?? 0, into)
  expect(Array.from(into)).toEqual([-1, 1, -1, 1, -1, 1, -1, 1])
})
