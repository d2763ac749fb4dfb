import { type RandomRow, randomBlock } from './random.ts'

/** Elements per tile. Every tile of a row has random streams of its own, so that tiles can be made in any order. */
export const tileSize = 4096

/** Elements made per step of the generator: four radii and four angles give eight normals. */
const stepSize = 8

const fround = Math.fround

// -2 ln(1 - t) = 4 atanh(s), s = t / (2 - t) in [0, 1/3]: minimax in s^2, relative error 1.6e-7.
const log0 = fround(3.9999993)
const log1 = fround(1.33352)
const log2 = fround(0.79178923)
const log3 = fround(0.684521)
const twoLn2 = fround(1.3862944)

// h = sqrt(2) sin(pi x / 4) for x in [-1, 1]: minimax in x^2, relative error 3.3e-9. cos(pi x / 2) is 1 - h^2.
const sin0 = fround(1.1107208)
const sin1 = fround(-0.114191286)
const sin2 = fround(0.0035213933)
const sin3 = fround(-5.0841616e-5)

// sqrt(2) cos(pi x / 4), relative error 3.3e-8: with h it makes sin(pi x / 2) without a square root.
const cos0 = fround(1.4142135)
const cos1 = fround(-0.43617764)
const cos2 = fround(0.022414839)
const cos3 = fround(-4.5074924e-4)

/** Squared radii are summed in float32 over this many steps, then in float64. */
const sumBlock = 64

const block = new Uint32Array(4)
const bits = new DataView(new ArrayBuffer(4))

/**
 * Writes the first `count` standard normals of one tile (at most `tileSize`, rounded up to whole steps of eight) into
 * `into`, and returns the sum of squares of the first `count` of them.
 *
 * Box-Muller on two four-lane sfc32 streams per tile, each lane seeded by its own Philox block: stream A makes the
 * squared radii, stream B the angles. Single precision throughout, one rounding per operation, in the order that
 * 128-bit SIMD lanes compute it, so that a vector kernel gives the same bits.
 * In Box-Muller the squares of a pair add up to r^2, so whole steps are summed from the radii, lane by lane.
 */
export function normalTile(at: RandomRow, tile: number, count: number, into: Float32Array): number {
  const steps = Math.ceil(count / stepSize)
  const wholeSteps = Math.floor(count / stepSize)
  const lane0 = normalLane(at, tile, 0, steps, wholeSteps, into)
  const lane1 = normalLane(at, tile, 1, steps, wholeSteps, into)
  const lane2 = normalLane(at, tile, 2, steps, wholeSteps, into)
  const lane3 = normalLane(at, tile, 3, steps, wholeSteps, into)
  let sum = lane0 + lane1 + (lane2 + lane3)
  for (let i = wholeSteps * stepSize; i < count; i++) {
    const z = into[i] as number
    sum += z * z
  }
  return sum
}

/** One lane of a tile: normals at lane, lane + 4, lane + 8, ...; returns its sum of squared radii over whole steps. */
function normalLane(
  at: RandomRow,
  tile: number,
  lane: number,
  steps: number,
  wholeSteps: number,
  into: Float32Array,
): number {
  randomBlock(block, at, 'directions', lane, tile)
  let a = block[0] as number
  let b = block[1] as number
  let c = block[2] as number
  let d = block[3] as number
  randomBlock(block, at, 'directions', lane + 4, tile)
  let a2 = block[0] as number
  let b2 = block[1] as number
  let c2 = block[2] as number
  let d2 = block[3] as number
  let sum = 0
  let partial = 0
  for (let step = 0; step < steps; step++) {
    const radiusBits = (a + b + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + radiusBits) | 0

    const angleBits = (a2 + b2 + d2) | 0
    d2 = (d2 + 1) | 0
    a2 = b2 ^ (b2 >>> 9)
    b2 = (c2 + (c2 << 3)) | 0
    c2 = (((c2 << 21) | (c2 >>> 11)) + angleBits) | 0

    const squared = squaredRadius(radiusBits)
    if (step < wholeSteps) partial = fround(partial + squared)
    if (step % sumBlock === sumBlock - 1 || step === wholeSteps - 1) {
      sum += partial
      partial = 0
    }
    const radius = fround(Math.sqrt(squared))
    const signed = (angleBits & 1) === 1 ? -radius : radius
    const x = fround(fround(angleBits) * 4.656612873077393e-10)
    const xx = fround(x * x)
    const h = fround(cubic(xx, sin0, sin1, sin2, sin3) * x)
    const position = step * stepSize + lane
    into[position] = fround(signed * fround(1 - fround(h * h)))
    into[position + 4] = fround(signed * fround(h * cubic(xx, cos0, cos1, cos2, cos3)))
  }
  return sum
}

/**
 * -2 ln U for U = 2^-k (1 - t), with k from the exponent and 2t from the mantissa of the word as a float.
 * `| 1` excludes U = 0, and the maximum covers a word so large that it rounds up to 2^31.
 */
function squaredRadius(word: number): number {
  bits.setFloat32(0, word | 1)
  const pattern = bits.getInt32(0)
  const k = Math.max(157 - ((pattern >>> 23) & 0xff), 0)
  bits.setInt32(0, (pattern & 0x7fffff) | 0x3f800000)
  const f = bits.getFloat32(0)
  const s = fround(fround(f - 1) / fround(5 - f))
  return fround(fround(cubic(fround(s * s), log0, log1, log2, log3) * s) + fround(k * twoLn2))
}

/** c0 + c1 x + c2 x^2 + c3 x^3 by Horner's rule, rounded to float32 after each operation. */
function cubic(x: number, c0: number, c1: number, c2: number, c3: number): number {
  return fround(fround(fround(fround(fround(fround(c3 * x) + c2) * x) + c1) * x) + c0)
}
