/** Numbers of 16 bits as those of 32: every half is a float32, exactly. */
export function floatsOfHalves(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, floatOfHalf)
}

/** IEEE 754 binary16: a sign, five bits of exponent, ten of fraction. */
function floatOfHalf(half: number): number {
  const sign = half >> 15 === 0 ? 1 : -1
  const exponent = (half >> 10) & 31
  const fraction = half & 1023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  if (exponent === 0) return (sign * fraction) / 16_777_216
  const scaled = (1024 + fraction) * (exponent > 24 ? 1 << (exponent - 25) : 1)
  return sign * (exponent > 24 ? scaled : scaled / (1 << (25 - exponent)))
}

/** The bits of float32 numbers that are infinite, beyond all halves, and of the smallest half with all its bits. */
const [infinite, beyond, smallest] = [0x7f800000, 0x47800000, 0x38800000]

/** Writes each number as the nearest half, as an even one between two. */
export function writeHalves(floats: Float32Array, into: Uint16Array): void {
  const bits = new Uint32Array(floats.buffer, floats.byteOffset, floats.length)
  for (let i = 0; i < floats.length; i++) {
    const word = bits[i] as number
    into[i] = ((word >>> 16) & 0x8000) | halfOfSize(word & 0x7fffffff)
  }
}

/** The half next to the float32 number with these bits, whose sign is not among them. */
function halfOfSize(bits: number): number {
  if (bits > infinite) return 0x7e00
  if (bits >= beyond) return 0x7c00
  // The exponent is 112 less; what is rounded up to the next power of two carries over into it.
  if (bits >= smallest) return (bits - (112 << 23) + 0xfff + ((bits >>> 13) & 1)) >>> 13
  // Halves below that are whole numbers of 2^-24, and what is cut off of the fraction says which is the nearest.
  const shift = 126 - (bits >>> 23)
  if (shift > 24) return 0
  const fraction = (bits & 0x7fffff) | 0x800000
  const [whole, rest, middle] = [fraction >>> shift, fraction & ((1 << shift) - 1), 1 << (shift - 1)]
  return whole + Number(rest > middle || (rest === middle && whole % 2 === 1))
}
