import { seeds } from './memory'

// Philox4x32-10 (Salmon et al., SC 2011) in four lanes: each lane is one block.

/** Seeds stream A (radii) of a tile: lanes 0 to 3 of the address. */
export function seedRadii(keyLow: i32, keyHigh: i32, iteration: i32, row: i32, tile: i32): void {
  philox(keyLow, keyHigh, iteration, row, tile, 0, seeds())
}

/** Seeds stream B (angles) of a tile: lanes 4 to 7 of the address. */
export function seedAngles(keyLow: i32, keyHigh: i32, iteration: i32, row: i32, tile: i32): void {
  philox(keyLow, keyHigh, iteration, row, tile, 4, seeds() + 64)
}

function philox(keyLow: i32, keyHigh: i32, iteration: i32, row: i32, tile: i32, firstLane: i32, into: usize): void {
  const multiplier0 = i32x4.splat(0xd2511f53)
  const multiplier1 = i32x4.splat(0xcd9e8d57)
  let c0 = i32x4.splat(tile)
  let c1 = i32x4.splat(row)
  let c2 = i32x4.splat(iteration)
  let c3 = i32x4.add(i32x4.splat(firstLane), i32x4(0, 1, 2, 3))
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(c0, multiplier0)
    const high1 = multiplyHigh(c2, multiplier1)
    const low0 = i32x4.mul(c0, multiplier0)
    const low1 = i32x4.mul(c2, multiplier1)
    c0 = v128.xor(v128.xor(high1, c1), i32x4.splat(keyLow))
    c1 = low1
    c2 = v128.xor(v128.xor(high0, c3), i32x4.splat(keyHigh))
    c3 = low0
    keyLow += 0x9e3779b9
    keyHigh += 0xbb67ae85
  }
  v128.store(into, c0, 0)
  v128.store(into, c1, 16)
  v128.store(into, c2, 32)
  v128.store(into, c3, 48)
}

// @ts-ignore: decorator
@inline
function multiplyHigh(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(i64x2.extmul_low_i32x4_u(a, b), i64x2.extmul_high_i32x4_u(a, b), 1, 3, 5, 7)
}
