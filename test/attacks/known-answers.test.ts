import { expect, test } from 'vitest'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { constrained } from '../../src/robustness/formulations.ts'
import { evaluateRobustness } from '../../src/robustness/index.ts'
import { fakeModel } from './fake-model.ts'
import { memoryDataset } from './memory-dataset.ts'

/** Networks of one hidden layer on 8 x 8 pixels, small enough to be proved robust by bounds of intervals. */
const shape = { channels: 1, height: 8, width: 8 }
const [pixels, hidden, classes] = [64, 24, 4]

interface Network {
  readonly first: readonly Float64Array[]
  readonly last: readonly Float64Array[]
}

function network(seed: number): Network {
  const weights = (rows: number, columns: number, row: number): Float64Array[] =>
    Array.from({ length: rows }, (_, i) =>
      Float64Array.from(
        { length: columns },
        (_, j) => 2 * randomUniform({ seed, iteration: i, row }, 'coordinates', j) - 1,
      ),
    )
  return { first: weights(hidden, pixels, 0), last: weights(classes, hidden, 1) }
}

const sumOf = (weights: Float64Array, of: (weight: number, i: number) => number): number =>
  weights.reduce((sum, weight, i) => sum + of(weight, i), 0)

const activity = ({ first }: Network, x: ArrayLike<number>): Float64Array =>
  Float64Array.from(first, (row) =>
    Math.max(
      0,
      sumOf(row, (weight, i) => weight * ((x[i] as number) - 0.5)),
    ),
  )

const scoresOf = (net: Network, x: ArrayLike<number>): Float64Array => {
  const active = activity(net, x)
  return Float64Array.from(net.last, (row) => sumOf(row, (weight, i) => weight * (active[i] as number)))
}

const best = (scores: Float64Array): number => scores.indexOf(Math.max(...scores))

/** Whether no picture within the radius has another class: the least lead over each of them that intervals allow. */
function isProved(net: Network, x: Float64Array, label: number, radius: number): boolean {
  const low = x.map((each) => Math.max(0, each - radius) - 0.5)
  const high = x.map((each) => Math.min(1, each + radius) - 0.5)
  const end = (row: Float64Array, up: boolean): number =>
    Math.max(
      0,
      sumOf(row, (weight, i) => weight * ((weight > 0 === up ? high[i] : low[i]) as number)),
    )
  const [least, most] = [net.first.map((row) => end(row, false)), net.first.map((row) => end(row, true))]
  return net.last.every((row, j) => {
    const lead = (net.last[label] as Float64Array).map((weight, i) => weight - (row[i] as number))
    return j === label || sumOf(lead, (weight, i) => weight * ((weight > 0 ? least[i] : most[i]) as number)) > 1e-6
  })
}

/** Whether going by the signs of exact slopes finds a picture of another class within the radius. */
function isKnown(net: Network, x: Float64Array, label: number, radius: number): boolean {
  return net.last.some((row, rival) => {
    if (rival === label) return false
    let at = x.slice()
    for (let step = 0; step < 20; step++) {
      const active = activity(net, at)
      const slopes = x.map((_, i) =>
        sumOf(row, (weight, k) => {
          const own = weight - (net.last[label]?.[k] as number)
          return (active[k] as number) > 0 ? own * (net.first[k]?.[i] as number) : 0
        }),
      )
      at = at.map((each, i) => {
        const moved = each + 0.25 * radius * Math.sign(slopes[i] as number)
        const from = x[i] as number
        return Math.min(1, from + radius, Math.max(0, from - radius, moved))
      })
      if (best(scoresOf(net, at)) !== label) return true
    }
    return false
  })
}

/** The radius at which an answer changes from yes to no, or from no to yes, to a thousandth. */
function turnOf(holds: (radius: number) => boolean): number {
  let [from, to] = [0, 1]
  const first = holds(1e-4)
  for (let i = 0; i < 10; i++) {
    const middle = (from + to) / 2
    if (holds(middle) === first) from = middle
    else to = middle
  }
  return first ? from : to
}

test('no image proved robust is reported fooled, and nearly all with a known counterexample are', async () => {
  let [found, known, proved] = [0, 0, 0]
  for (let seed = 1; seed <= 3; seed++) {
    const net = network(seed)
    const model = fakeModel(pixels, classes, (x) => scoresOf(net, x), { shape })
    for (let image = 0; image < 5; image++) {
      const x = Float64Array.from({ length: pixels }, (_, i) =>
        Math.fround(0.1 + 0.8 * randomUniform({ seed, iteration: image, row: 2 }, 'coordinates', i)),
      )
      const label = best(scoresOf(net, x))
      const robust = turnOf((radius) => isProved(net, x, label, radius))
      const fragile = turnOf((radius) => isKnown(net, x, label, radius))
      expect(robust).toBeLessThan(fragile)
      const images = memoryDataset([{ pixels: Array.from(x), label }], {
        read: async () => ({ shape, pixels: Float32Array.from(x) }),
      })
      const attack = async (linf: number): Promise<number> => {
        const options = { formulation: constrained({ linf }), maxQueries: 300, seed: 1 }
        return (await evaluateRobustness(model, images, options)).summary.fooled
      }
      if (robust > 0.002) {
        expect(await attack(0.999 * robust)).toBe(0)
        proved++
      }
      known++
      found += await attack(Math.min(1, 1.1 * fragile))
    }
  }
  console.log(`known counterexamples found with 300 queries: ${found} of ${known}; proved robust: ${proved}`)
  expect(proved).toBeGreaterThanOrEqual(12)
  expect(found).toBeGreaterThanOrEqual(13)
})
