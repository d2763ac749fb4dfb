import { endsRun } from '../core/errors.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Dataset } from '../datasets/dataset.ts'
import { randomWord } from '../kernels/random.ts'
import type { Model } from '../models/model.ts'
import { readScores } from './attack-objective.ts'
import type { RobustnessOptions } from './evaluation-options.ts'
import type { PosedAttack } from './form.ts'
import { probeLength } from './probe-length.ts'
import type { NoiseRecord } from './records.ts'
import { robustnessOptions } from './robustness-options.ts'
import { type Screened, scoresOf } from './screening.ts'

/** Images that are probed, and lines through each of them. */
const most = { images: 3, lines: 4 }

/** Where the pictures of a line lie, in lengths of a probe. */
const steps = [-2, -1, 1, 2]

/** Pictures of an image: itself, its lines, and one far away. */
const rowsPerImage = 1 + most.lines * steps.length + 1

/** Calls that probing for noise takes, at most: every image is asked about once more, on its own. */
export const mostNoiseCalls = most.images * (rowsPerImage + 1)

/** How far every pixel of the last picture is from the image: where that changes no score either, the model is flat. */
const farAway = 0.04

/** The share of the queries of all attacks that probing may take at most: it is to be a small part of them. */
const worthwhile = 0.1

/**
 * Measures which share of the change that the method's probes make is noise, on the first images to attack, outside their
 * budgets. Probes to both sides of an image and twice as far lie on a line: what a smooth function does along it cancels in
 * fourth differences, which leaves 70 times the variance of the noise of a single answer (Moré and Wild, Estimating
 * computational noise, 2011). Null where there is nothing to find out: methods without probes of a length, and models that
 * take bytes, answer with a class, or hide all slopes, of which others speak.
 */
export async function noiseFloor(
  model: Model,
  dataset: Dataset,
  screened: readonly Screened[],
  given: RobustnessOptions,
  signal: AbortSignal | undefined,
): Promise<NoiseRecord | null> {
  const { solver, form, seed, maxQueries } = parseOptions('evaluateRobustness', robustnessOptions, given)
  const { channels, height, width } = model.shape
  const probe = probeLength(solver, channels * height * width)
  const isCoarse = model.grid !== undefined || model.scores === 'labels' || probe === undefined
  const attacked = screened.filter(({ status }) => status === 'attacked')
  const isWorthwhile = mostNoiseCalls <= worthwhile * maxQueries * attacked.length
  const chosen = isCoarse || !isWorthwhile ? [] : attacked.filter(isTelling).slice(0, most.images)
  const pictures = await Promise.all(chosen.map(({ index }) => dataset.read(index).catch(() => undefined)))
  const victims = chosen.flatMap((image, i) => {
    const pixels = pictures[i]?.pixels
    return pixels === undefined ? [] : [{ image, pixels, posed: form.begin([pixels]) }]
  })
  if (victims.length === 0 || probe === undefined) return null
  const tally = { failedQueries: 0, retries: 0 }
  const painter = painterOf(victims, probe.length, seed)
  const asked = { model: { ...model, scores: scoresOf(screened, model) }, victims, tally, signal }
  const lines = await margins(asked, victims.length * rowsPerImage, rowsPerImage, painter)
  const again = await margins(asked, victims.length, 1, (row, into, at) => painter(row * rowsPerImage, into, at))
  const found = sharesOf(lines, again, victims.length)
  if (found === null) return null
  const { length, option, owner } = probe
  const longer = owner === 'zeroth' && found.share >= tolerable ? { probe: longerProbe(found.share, length) } : {}
  return { ...found, length, option, ...longer, asked: victims.length * (rowsPerImage + 1), ...tally }
}

/** Scores of 0 and 1 hide slopes by themselves, which is said of them. */
function isTelling({ scoresAre, oneHot }: Screened): boolean {
  return scoresAre !== 'saturated' && oneHot !== true
}

interface Probed {
  readonly image: Screened
  readonly pixels: Float32Array
  readonly posed: PosedAttack
}

type Paint = (row: number, into: Float32Array | Float64Array, offset?: number) => void

/** Writes the pictures of all images, `rowsPerImage` each: unit vectors of random signs, the same for the same seed. */
function painterOf(victims: readonly Probed[], length: number, seed: number): Paint {
  return (row, into, offset = 0) => {
    const { posed } = victims[Math.floor(row / rowsPerImage)] as Probed
    const own = row % rowsPerImage
    const line = own === 0 ? 0 : Math.floor((own - 1) / steps.length)
    const isLast = own === rowsPerImage - 1
    const step = own === 0 ? 0 : (steps[(own - 1) % steps.length] as number)
    const size = isLast ? farAway : (step * length) / Math.sqrt(posed.dim)
    const variables = new Float64Array(posed.dim)
    for (let i = 0; i < posed.dim; i += 32) {
      const signs = randomWord({ seed, iteration: line, row: Math.floor(row / rowsPerImage) }, 'data', i / 32)
      const end = Math.min(32, posed.dim - i)
      for (let bit = 0; bit < end; bit++) variables[i + bit] = (signs >>> bit) % 2 === 0 ? size : -size
    }
    posed.paint(variables, 0, into, offset)
  }
}

interface Asking {
  readonly model: Model
  readonly victims: readonly Probed[]
  readonly tally: { failedQueries: number; retries: number }
  readonly signal: AbortSignal | undefined
}

/** How far each picture is from what the attack wants; NaN where there was no answer. */
async function margins({ model, victims, tally, signal }: Asking, rows: number, each: number, write: Paint) {
  const scores = new Float64Array(rows * model.classes).fill(Number.NaN)
  const askedAgain = (): void => {
    tally.retries++
    tally.failedQueries++
  }
  try {
    await model.predict({ rows, write, askedAgain }, scores, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (endsRun(error)) throw error
  }
  const found = Array.from({ length: rows }, (_, row) => {
    const { label, target } = (victims[Math.floor(row / each)] as Probed).image
    const goal = { label: label ?? 0, target: target ?? undefined }
    return readScores(scores, row * model.classes, model.classes, model.scores, goal).margin
  })
  tally.failedQueries += found.filter(Number.isNaN).length
  return found
}

/** The share of noise that a longer probe aims at, and how much longer it becomes at most. */
const wanted = { share: 0.1, factor: 16 }

/**
 * The length at which noise, which stays what it is, is a small share of a change, which grows with the length. Times a power
 * of two: a model whose noise varies by itself is not probed a little differently each time.
 */
function longerProbe(share: number, length: number): number {
  const odds = (part: number): number => part / (1 - part)
  let factor = 2
  while (factor < wanted.factor && factor * factor * odds(wanted.share) < odds(share)) factor *= 2
  return factor * length
}

/** Lines without which nothing can be said. */
const fewestLines = 3

/** Which share of the squared change from an image to a probe is noise, and how much of it asking twice shows. */
function sharesOf(
  lines: readonly number[],
  again: readonly number[],
  images: number,
): Pick<NoiseRecord, 'share' | 'again'> | null {
  const noise: number[] = []
  const change: number[] = []
  const repeated: number[] = []
  let isFlat = true
  for (let image = 0; image < images; image++) {
    const [center = Number.NaN, ...rest] = lines.slice(image * rowsPerImage, (image + 1) * rowsPerImage)
    isFlat &&= rest.at(-1) === center
    const difference = (again[image] as number) - center
    if (Number.isFinite(difference)) repeated.push(difference * difference)
    for (let line = 0; line < most.lines; line++) {
      const [farBehind, behind, ahead, farAhead] = rest.slice(line * steps.length) as [number, number, number, number]
      const fourth = farBehind + farAhead - 4 * (behind + ahead) + 6 * center
      if (!Number.isFinite(fourth)) continue
      noise.push((2 * fourth * fourth) / 70)
      change.push(((ahead - center) * (ahead - center) + (behind - center) * (behind - center)) / 2)
    }
  }
  if (noise.length < fewestLines || isFlat) return null
  const [whole, own, twice] = [change, noise, repeated].map(mean) as [number, number, number]
  // Answers that do not change at all near by, and do far away, are rounded to steps that no probe reaches.
  if (whole === 0) return { share: 1, again: 0 }
  return { share: Math.min(1, own / whole), again: Math.min(1, twice / whole) }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, each) => sum + each, 0) / values.length
}

/** The share of noise from which on it is said: full float32 stays far below, TF32 far above. */
const tolerable = 0.2

/** What noise means for the attacks, where there is much of it. */
export function noiseWarnings(noise: NoiseRecord | null | undefined): string[] {
  if (noise == null || noise.share < tolerable) return []
  const { share, again, length, option, probe, asked } = noise
  const probes = `${asked} pictures around clean images, to both sides and twice as far`
  const what = `${Math.round(100 * share)} % of what probes of length ${length} measure is noise (${probes})`
  const slopes = `slopes are ${share < 0.5 ? 'partly' : 'mostly'} noise at this length`
  const so = `${slopes}, and images that withstand may not be robust`
  const longer =
    probe === undefined
      ? `or use longer probes (-O ${option}=${rounded(10 * length)})`
      : `this method now uses probes of length ${rounded(probe)}, which finds less than full precision does`
  if (again >= tolerable) {
    const why = 'the model gives other scores when it is asked about the same image again'
    return [`${what}: ${so}; ${why}: turn off what is random in it; ${longer}`]
  }
  const why = 'the usual cause is TF32, half precision, or rounded scores'
  const how = 'torch.backends.cudnn.allow_tf32 = False in PyTorch, NVIDIA_TF32_OVERRIDE=0 for Triton'
  return [`${what}: ${so}; ${why}: compute in full float32 (${how}); ${longer}`]
}

function rounded(value: number): number {
  return Number(value.toPrecision(2))
}
