import type { ImageShape, Vector } from '../../core/types.ts'

/**
 * From the lowest `rows` x `columns` frequencies of each channel to its pixels: two small matrix products, first along the
 * rows, then along the columns. Even frequencies are symmetric about the middle of a side and odd ones antisymmetric, so
 * that half of each product is enough.
 */
export class CosineTransform {
  readonly rows: number
  readonly columns: number
  readonly #shape: ImageShape
  /** The first halves of the vectors along the rows and along the columns. */
  readonly #across: Float64Array
  readonly #down: Float64Array
  readonly #lines: Float64Array
  readonly #even: Float64Array
  readonly #odd: Float64Array

  constructor(shape: ImageShape, rows: number, columns: number) {
    const { height, width } = shape
    this.rows = rows
    this.columns = columns
    this.#shape = shape
    this.#across = halfWaves(width, columns)
    this.#down = halfWaves(height, rows)
    this.#lines = new Float64Array(rows * width)
    this.#even = new Float64Array(width)
    this.#odd = new Float64Array(width)
  }

  /** into = the image that has these frequencies and no others. */
  apply(coefficients: Float64Array, into: Float64Array): void {
    const { channels, height, width } = this.#shape
    for (let channel = 0; channel < channels; channel++) {
      this.#expandRows(coefficients, channel * this.rows * this.columns)
      this.#expandColumns(into, channel * height * width)
    }
  }

  /** into[offset...] += weight times the image of one frequency. */
  add(index: number, weight: number, into: Vector, offset: number): void {
    const { rows, columns } = this
    const { height, width } = this.#shape
    const even = this.#even
    const column = index % columns
    const row = Math.floor(index / columns) % rows
    const first = offset + Math.floor(index / (rows * columns)) * height * width
    wave(this.#across, column, width, even)
    for (let y = 0; y < height; y++) {
      const factor = weight * waveAt(this.#down, row, height, y)
      const at = first + y * width
      // A loop of its own for each kind of array: V8 is slow where one sees several.
      if (into instanceof Float32Array) addSingle(even, factor, into.subarray(at, at + width))
      else addDouble(even, factor, into.subarray(at, at + width))
    }
  }

  /** lines = the channel's frequencies, expanded along the rows. */
  #expandRows(coefficients: Float64Array, first: number): void {
    const { rows, columns } = this
    const { width } = this.#shape
    const [across, lines, even, odd] = [this.#across, this.#lines, this.#even, this.#odd]
    const half = Math.ceil(width / 2)
    for (let f = 0; f < rows; f++) {
      const from = first + f * columns
      addUp(coefficients, from, 2, (columns + 1) >> 1, across, 0, 2 * half, half, even)
      addUp(coefficients, from + 1, 2, columns >> 1, across, half, 2 * half, half, odd)
      for (let x = 0, left = f * width, right = left + width - 1; x < half; x++, left++, right--) {
        lines[left] = (even[x] as number) + (odd[x] as number)
        lines[right] = (even[x] as number) - (odd[x] as number)
      }
    }
  }

  /** into = the lines of a channel, expanded along the columns. */
  #expandColumns(into: Float64Array, first: number): void {
    const { rows } = this
    const { height, width } = this.#shape
    const [down, lines, even, odd] = [this.#down, this.#lines, this.#even, this.#odd]
    const half = Math.ceil(height / 2)
    for (let y = 0; y < half; y++) {
      addUp(down, y, 2 * half, (rows + 1) >> 1, lines, 0, 2 * width, width, even)
      addUp(down, half + y, 2 * half, rows >> 1, lines, width, 2 * width, width, odd)
      const upper = first + y * width
      const lower = first + (height - 1 - y) * width
      for (let x = 0; x < width; x++) {
        into[upper + x] = (even[x] as number) + (odd[x] as number)
        into[lower + x] = (even[x] as number) - (odd[x] as number)
      }
    }
  }
}

/** The first half, the middle included, of the lowest `count` vectors of the orthonormal DCT-II of length n, one after another. */
function halfWaves(n: number, count: number): Float64Array {
  const quarter = quarterCosines(n)
  const half = Math.ceil(n / 2)
  const waves = new Float64Array(count * half)
  for (let f = 0; f < count; f++) {
    const length = Math.sqrt((f === 0 ? 1 : 2) / n)
    for (let i = 0; i < half; i++) waves[f * half + i] = length * cosineAt((2 * i + 1) * f, n, quarter)
  }
  return waves
}

/** into = one whole vector of which `halves` has the first half. */
function wave(halves: Float64Array, frequency: number, n: number, into: Float64Array): void {
  for (let i = 0; i < n; i++) into[i] = waveAt(halves, frequency, n, i)
}

/** into += factor wave, for as many as there are. Four at a time: two thirds of the time of the plain loop. */
function addSingle(wave: Float64Array, factor: number, into: Float32Array): void {
  let i = 0
  for (const end = into.length - 3; i < end; i += 4) {
    into[i] = (into[i] as number) + factor * (wave[i] as number)
    into[i + 1] = (into[i + 1] as number) + factor * (wave[i + 1] as number)
    into[i + 2] = (into[i + 2] as number) + factor * (wave[i + 2] as number)
    into[i + 3] = (into[i + 3] as number) + factor * (wave[i + 3] as number)
  }
  for (; i < into.length; i++) into[i] = (into[i] as number) + factor * (wave[i] as number)
}

function addDouble(wave: Float64Array, factor: number, into: Float64Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as number) + factor * (wave[i] as number)
}

function waveAt(halves: Float64Array, frequency: number, n: number, i: number): number {
  const half = Math.ceil(n / 2)
  if (i < half) return halves[frequency * half + i] as number
  const mirrored = halves[frequency * half + n - 1 - i] as number
  return frequency % 2 === 0 ? mirrored : -mirrored
}

/** cos(pi m / 2n) from its values in the first quarter of the circle. */
function cosineAt(m: number, n: number, quarter: Float64Array): number {
  const turn = m % (4 * n)
  const half = turn > 2 * n ? 4 * n - turn : turn
  return half > n ? -(quarter[2 * n - half] as number) : (quarter[half] as number)
}

/** out = sum_j weights_j row_j over `count` rows of `length`, four at a time so that `out` is passed over less often. */
function addUp(
  weights: Float64Array,
  firstWeight: number,
  weightStep: number,
  count: number,
  rows: Float64Array,
  firstRow: number,
  rowStep: number,
  length: number,
  out: Float64Array,
): void {
  let w = firstWeight
  let r0 = firstRow
  let left = count
  out.fill(0, 0, length)
  for (; left >= 4; left -= 4, w += 4 * weightStep, r0 += 4 * rowStep) {
    const a = weights[w] as number
    const b = weights[w + weightStep] as number
    const c = weights[w + 2 * weightStep] as number
    const d = weights[w + 3 * weightStep] as number
    const r1 = r0 + rowStep
    const r2 = r1 + rowStep
    const r3 = r2 + rowStep
    for (let x = 0; x < length; x++) {
      const pairs =
        a * (rows[r0 + x] as number) +
        b * (rows[r1 + x] as number) +
        (c * (rows[r2 + x] as number) + d * (rows[r3 + x] as number))
      out[x] = (out[x] as number) + pairs
    }
  }
  for (; left > 0; left--, w += weightStep, r0 += rowStep) {
    const a = weights[w] as number
    for (let x = 0; x < length; x++) out[x] = (out[x] as number) + a * (rows[r0 + x] as number)
  }
}

/**
 * cos(pi m / 2n) for m = 0 ... n in plain arithmetic (fdlibm's polynomials, below 1 ulp of the angle): the language leaves
 * the last bits of `Math.cos` to each engine.
 */
export function quarterCosines(n: number): Float64Array {
  const halfPi = 1.5707963267948966
  return Float64Array.from({ length: n + 1 }, (_, m) =>
    2 * m <= n ? smallCosine((m / n) * halfPi) : smallSine(((n - m) / n) * halfPi),
  )
}

/** cos x for x from 0 to pi / 4. */
function smallCosine(x: number): number {
  const z = x * x
  const c5 = 2.087572321298175e-9 + z * -1.1359647557788195e-11
  const c4 = -2.7557314351390663e-7 + z * c5
  const c3 = 2.480158728947673e-5 + z * c4
  const c2 = -0.001388888888887411 + z * c3
  const c1 = 0.0416666666666666 + z * c2
  return 1 - (0.5 * z - z * z * c1)
}

/** sin x for x from 0 to pi / 4. */
function smallSine(x: number): number {
  const z = x * x
  const s5 = -2.5050760253406863e-8 + z * 1.58969099521155e-10
  const s4 = 2.7557313707070068e-6 + z * s5
  const s3 = -1.984126982985795e-4 + z * s4
  const s2 = 0.00833333333332249 + z * s3
  return x + x * z * (-0.16666666666666632 + z * s2)
}

/**
 * From the pixels of an image to the lowest `rows` x `columns` frequencies of each channel: what `CosineTransform` makes of
 * them is the image again, as far as it has no others. Sides are folded in the middle, as there.
 */
export function cosineAnalysis(shape: ImageShape, rows: number, columns: number) {
  const { channels, height, width } = shape
  const across = halfWaves(width, columns)
  const down = halfWaves(height, rows)
  const halfHeight = Math.ceil(height / 2)
  const halfWidth = Math.ceil(width / 2)
  const lines = new Float64Array(rows * width)
  const [sum, difference] = [new Float64Array(width), new Float64Array(width)]

  /** lines = the frequencies along the columns of a channel. */
  const alongColumns = (image: Float64Array, first: number): void => {
    lines.fill(0)
    for (let y = 0; y < halfHeight; y++) {
      foldRows(image, first + y * width, first + (height - 1 - y) * width, sum, difference)
      for (let f = 0; f < rows; f++) {
        const weight = down[f * halfHeight + y] as number
        const from = f % 2 === 0 ? sum : difference
        const at = f * width
        for (let x = 0; x < width; x++) lines[at + x] = (lines[at + x] as number) + weight * (from[x] as number)
      }
    }
  }

  const alongRow = (row: number, into: Float64Array, at: number): void => {
    foldEnds(lines, row * width, width, sum, difference)
    for (let g = 0; g < columns; g++) {
      const from = g % 2 === 0 ? sum : difference
      let total = 0
      for (let x = 0; x < halfWidth; x++) total += (across[g * halfWidth + x] as number) * (from[x] as number)
      into[at + g] = total
    }
  }

  return (image: Float64Array, into: Float64Array): void => {
    for (let channel = 0; channel < channels; channel++) {
      alongColumns(image, channel * height * width)
      for (let f = 0; f < rows; f++) alongRow(f, into, (channel * rows + f) * columns)
    }
  }
}

/** Sum and difference of two rows; of a row with itself, that is the one in the middle, only itself. */
function foldRows(
  image: Float64Array,
  upper: number,
  lower: number,
  sum: Float64Array,
  difference: Float64Array,
): void {
  for (let x = 0; x < sum.length; x++) {
    const a = image[upper + x] as number
    const b = upper === lower ? 0 : (image[lower + x] as number)
    sum[x] = a + b
    difference[x] = a - b
  }
}

/** Sum and difference of the entries of a row that lie opposite each other. */
function foldEnds(row: Float64Array, first: number, width: number, sum: Float64Array, difference: Float64Array): void {
  for (let left = 0, right = width - 1; left <= right; left++, right--) {
    const a = row[first + left] as number
    const b = left === right ? 0 : (row[first + right] as number)
    sum[left] = a + b
    difference[left] = a - b
  }
}

/**
 * Channels combined by a cosine transform of their own: for red, green and blue their mean first, then two colors. What a
 * network sees in the channels is much alike, so that few combinations hold most of it.
 */
export interface ChannelMix {
  /** into = coefficients of the channels themselves, for coefficients of their combinations, a plane of each. */
  separate(coefficients: Float64Array, into: Float64Array): void
  /** The share of a channel in a combination. */
  share(combination: number, channel: number): number
}

/** The combinations of the channels of an image. */
export function channelMix(channels: number): ChannelMix {
  const transform = new CosineTransform({ channels: 1, height: 1, width: channels }, 1, channels)
  const shares = new Float64Array(channels * channels)
  for (let i = 0; i < channels; i++) transform.add(i, 1, shares, i * channels)
  const share = (combination: number, channel: number): number => shares[combination * channels + channel] as number
  return {
    share,
    separate(coefficients, into) {
      const plane = coefficients.length / channels
      into.fill(0)
      for (let from = 0; from < channels; from++) {
        for (let to = 0; to < channels; to++) {
          addPlane(coefficients, from * plane, share(from, to), into, to * plane, plane)
        }
      }
    },
  }
}

function addPlane(
  source: Float64Array,
  from: number,
  weight: number,
  into: Float64Array,
  to: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) into[to + i] = (into[to + i] as number) + weight * (source[from + i] as number)
}
