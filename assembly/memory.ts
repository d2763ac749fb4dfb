// Working memory and constants of the kernels. Constants live in memory, not in code: V8 rebuilds a literal v128 in
// every pass of a loop, while one that was loaded before the loop stays in a register or on the stack.

/** Elements per tile: every tile of a row has random streams of its own. */
export const TILE: i32 = 4096

/** Working memory of an instance. */
const scratch: usize = memory.data(69504, 16)

/** Seeds of the two four-lane streams of a tile: A for radii at 0, B for angles at 64. */
// @ts-ignore: decorator
@inline
export function seeds(): usize {
  return scratch
}

/** The eight normals of an incomplete last step. */
// @ts-ignore: decorator
@inline
export function lastNormals(): usize {
  return scratch + 128
}

/** Squared radii of one tile. */
// @ts-ignore: decorator
@inline
export function radiiScratch(): usize {
  return scratch + 192
}

/** Squared radii of the last, incomplete tile of a row, kept from the first pass to the second. */
// @ts-ignore: decorator
@inline
export function lastRadii(): usize {
  return scratch + 8448
}

/** Normals of one tile. */
// @ts-ignore: decorator
@inline
export function normalsScratch(): usize {
  return scratch + 16704
}

/** Gradient of one tile, in either precision. */
// @ts-ignore: decorator
@inline
export function gradientScratch(): usize {
  return scratch + 33152
}

/** Three intermediate values of each of a block's 64 steps, BLOCK_BYTES apart. */
// @ts-ignore: decorator
@inline
export function blockScratch(): usize {
  return scratch + 66048
}

/** Numbers that a loop wants in all lanes: see `held` in steps.ts. */
// @ts-ignore: decorator
@inline
export function heldScratch(): usize {
  return scratch + 69312
}

/** Minimax coefficients, each in ascending order: 4 atanh(s)/s, sqrt(2) sin(pi x/4)/x, sqrt(2) cos(pi x/4). */
export const LOG: usize = memory.data<f32>([3.9999993, 1.33352, 0.79178923, 0.684521])
export const SIN: usize = memory.data<f32>([1.1107208, -0.114191286, 0.0035213933, -5.0841616e-5])
export const COS: usize = memory.data<f32>([1.4142135, -0.43617764, 0.022414839, -4.5074924e-4])

/** 2 ln 2, 2^-31, 1, 5. */
export const FLOATS: usize = memory.data<f32>([1.3862944, 4.656612873077393e-10, 1.0, 5.0])

/** 1, the mantissa mask, the exponent of 2^30, the exponent mask, 0. */
export const INTS: usize = memory.data<i32>([1, 0x7fffff, 157, 0xff, 0])
