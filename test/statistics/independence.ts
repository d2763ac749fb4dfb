import { makeBinOf, type Statistic } from './normal-sample.ts'
import { chiSquareScore, chiSquareValueScore, largestScore, named, type Scores } from './scores.ts'

/** A sample with its signs and its squares less 1, so that the loop over pairs needs no branches. */
interface Prepared {
  readonly values: Float32Array
  readonly signs: Float32Array
  readonly squares: Float32Array
}

/**
 * What two samples of independent normals have in common, pair by pair: four sums of products of mean 0 and known
 * variance. Pairs that overlap are uncorrelated, too.
 */
function makePairing() {
  const sums = { n: 0, products: 0, signs: 0, sizes: 0, mixed: 0 }
  return {
    /** Element i of `a` with element i + lag of `b`. */
    add(a: Prepared, b: Prepared, lag: number): void {
      const count = a.values.length - lag
      let [products, signs, sizes, mixed] = [0, 0, 0, 0]
      for (let i = 0; i < count; i++) {
        const y = b.values[i + lag] as number
        const xx = a.squares[i] as number
        products += (a.values[i] as number) * y
        signs += (a.signs[i] as number) * (b.signs[i + lag] as number)
        sizes += xx * (b.squares[i + lag] as number)
        mixed += xx * y
      }
      sums.n += count
      sums.products += products
      sums.signs += signs
      sums.sizes += sizes
      sums.mixed += mixed
    },
    scores: (): Scores => ({
      correlation: sums.products / Math.sqrt(sums.n),
      'equal signs': sums.signs / Math.sqrt(sums.n),
      'correlation of squares': sums.sizes / Math.sqrt(4 * sums.n),
      'square with value': sums.mixed / Math.sqrt(2 * sums.n),
    }),
  }
}

function prepare(values: Float32Array): Prepared {
  return { values, signs: values.map((z) => (z > 0 ? 1 : -1)), squares: values.map((z) => z * z - 1) }
}

/** Normals of two addresses, side by side. */
export function pairing(a: Float32Array, b: Float32Array): Scores {
  const pairs = makePairing()
  pairs.add(prepare(a), prepare(b), 0)
  return pairs.scores()
}

/** Normals of one row against those a few places on. */
export function lags(distances: readonly number[]): Statistic {
  const pairs = distances.map(makePairing)
  return {
    add(sample) {
      const prepared = prepare(sample)
      distances.forEach((lag, k) => pairs[k]?.add(prepared, prepared, lag))
    },
    scores: () => Object.assign({}, ...distances.map((lag, k) => named(`lag ${lag}`, pairs[k]?.scores() ?? {}))),
  }
}

/**
 * Cosine and sine of one step, four places apart: exp(-r^2/2) and the angle are uniform and independent, and so are
 * the quantile bins of the two, and those of two neighbours (in pairs that do not overlap).
 */
export function partners(): Statistic {
  const [fine, coarse] = [256, 32]
  const radii = new Float64Array(fine)
  const angles = new Float64Array(fine)
  const polar = new Float64Array(coarse * coarse)
  const square = new Float64Array(coarse * coarse)
  const neighbours = new Float64Array(coarse * coarse)
  const binOf = makeBinOf(coarse)
  const count = (cells: Float64Array, cell: number) => {
    cells[cell] = (cells[cell] as number) + 1
  }
  return {
    add(sample) {
      for (let i = 0; i + 5 < sample.length; i++) {
        const [c, s, next] = [sample[i] as number, sample[i + 4] as number, sample[i + 1] as number]
        if ((i & 1) === 0) count(neighbours, binOf(c) * coarse + binOf(next))
        if ((i & 7) > 3) continue
        const radius = Math.exp(-0.5 * (c * c + s * s))
        const angle = (Math.atan2(s, c) / Math.PI + 1) / 2
        count(radii, Math.min(fine - 1, Math.floor(radius * fine)))
        count(angles, Math.floor(angle * fine) % fine)
        const ring = Math.min(coarse - 1, Math.floor(radius * coarse))
        count(polar, ring * coarse + (Math.floor(angle * coarse) % coarse))
        count(square, binOf(c) * coarse + binOf(s))
      }
    },
    scores: () => ({
      'radii of pairs': chiSquareScore(radii),
      'angles of pairs': chiSquareScore(angles),
      'radius with angle': chiSquareScore(polar),
      'cosine with sine': chiSquareScore(square),
      'neighbours in 32 x 32 bins': chiSquareScore(neighbours),
    }),
  }
}

/** Which of eight normals are positive, and which are larger than usual: 256 equally likely patterns each. */
export function patterns(): Statistic {
  // Half of all normals lie within this distance of 0.
  const median = 0.6744897501960817
  const cells = ['signs', 'sizes'].flatMap((what) =>
    [1, 8].map((stride) => ({ what, stride, counts: new Float64Array(256) })),
  )
  return {
    add(sample) {
      for (const { what, stride, counts } of cells) {
        for (let i = 0; i + 7 * stride < sample.length; i += 8 * stride) {
          for (let place = 0; place < stride; place++) {
            let pattern = 0
            for (let k = 0; k < 8; k++) {
              const z = sample[i + place + k * stride] as number
              pattern = 2 * pattern + ((what === 'signs' ? z : Math.abs(z) - median) > 0 ? 1 : 0)
            }
            counts[pattern] = (counts[pattern] as number) + 1
          }
        }
      }
    },
    scores: () =>
      Object.fromEntries(
        cells.map(({ what, stride, counts }) => [
          `${what} of 8 normals ${stride === 1 ? 'side by side' : 'of successive steps'}`,
          chiSquareScore(counts),
        ]),
      ),
  }
}

/** All pairs among many rows: n times the sum of their squared correlations is chi-square, and none stands out. */
export function allPairs(rows: readonly Float32Array[]): Scores {
  const scores = rows.flatMap((row, i) => rows.slice(0, i).map((other) => correlation(row, other)))
  const sum = scores.reduce((total, score) => total + score * score, 0)
  return {
    'squared correlations of all pairs': chiSquareValueScore(sum, scores.length),
    'largest correlation': largestScore(scores),
  }
}

function correlation(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum / Math.sqrt(a.length)
}
