import { scheduleOf } from '../optimizer/core/iteration.ts'
import { parseOptions, type ScheduleOption } from '../optimizer/core/options.ts'
import { originOf } from '../optimizer/core/part.ts'
import type { Solver, Vector } from '../optimizer/core/types.ts'
import { randomWord } from '../optimizer/kernels/random.ts'
import { readScores } from './attack-objective.ts'
import { askAlone, comparable, movement } from './confirmation.ts'
import type { FormulationState } from './formulation.ts'
import type { Dataset } from './images/dataset.ts'
import { askModel, type Model, modelWith, newTally, picturesAsImages, type Tally } from './models/model.ts'
import type { CanaryRecord, ImageRecord, NoiseRecord } from './records.ts'
import { type RobustnessOptions, robustnessOptions } from './robustness-options.ts'
import { type ScreenedImage, scoresOf } from './screening.ts'

/** What asking about clean images again has brought. */
export interface Canaries extends Tally {
  readonly record: CanaryRecord
}

/** Canaries that are asked about once more, each in a request of its own. */
export const mostAlone = 5

/**
 * Asks about the first screened images again once the attacks have ended, outside their budgets: all in one request, in which
 * rows may be mixed up, and some in requests of their own, which may go to different servers behind one address. Attacks on a
 * model that has been replaced in between have measured neither the old one nor the new one.
 */
export async function askCanaries(
  model: Model,
  dataset: Dataset,
  screened: readonly ScreenedImage[],
  signal: AbortSignal | undefined,
): Promise<Canaries> {
  // A file that is gone says nothing about the model.
  const read = async (index: number) => dataset.read(index).catch(() => undefined)
  const known = screened.filter(({ scores }) => scores !== undefined)
  const pictures = await Promise.all(known.map(({ index }) => read(index)))
  const chosen = known.filter((_, i) => pictures[i] !== undefined)
  const pixels = pictures.flatMap((picture) => (picture === undefined ? [] : [picture.pixels]))
  const tally = newTally()
  const { scores } = await askModel(model, picturesAsImages(pixels), { signal, tally })
  const together = chosen.map((image, i) => ({
    image,
    now: scores.subarray(i * model.classes, (i + 1) * model.classes),
  }))
  const alone = chosen.slice(0, mostAlone).map(async (image, i) => {
    const write = (into: Vector, at?: number): void => into.set(pixels[i] as Float32Array, at)
    return { image, now: (await askAlone(model, write, { signal, tally })).scores }
  })
  const all = [...together, ...(await Promise.all(alone))]
  const unanswered = all.filter(({ now }) => now.some(Number.isNaN)).length
  tally.failedQueries += unanswered
  const changes = all.flatMap(({ image, now }) => changeOf(image, now, model) ?? [])
  const record = { asked: all.length, changed: changes.length, unanswered, reason: changes[0] ?? null }
  return { record, ...tally }
}

/** How an answer differs from the one at the beginning, where it does; one that did not come does not. */
function changeOf({ title, label, scores = [] }: ScreenedImage, now: Float64Array, model: Model): string | undefined {
  if (now.some(Number.isNaN)) return undefined
  const before = comparable(scores, model.scores)
  const range = model.scores === 'logits' ? Math.max(...before) - Math.min(...before) : 1
  const moved = movement(before, comparable(now, model.scores), range)
  if (moved === undefined) return undefined
  const seen = (from: Float64Array) => readScores(from, 0, model.classes, model.scores, { label: label ?? 0 }).predicted
  const classes = [seen(Float64Array.from(scores)), seen(now)]
  return classes[0] === classes[1]
    ? `${title}: scores moved by up to ${Number(moved.toPrecision(2))}`
    : `${title}: class ${classes[0]} before, class ${classes[1]} now`
}

/** How far the pictures of a test are from the image: a little less and a little more than a byte, and ten bytes. */
const lengths = [0.001, 0.003, 0.01, 0.04]

/** Whether a model shows any slope around an image. */
interface Flatness {
  readonly isFlat: boolean
  readonly modelCalls: number
}

/**
 * Asks a model about an image and some pictures near it, every pixel of which is a little brighter or darker. Where all
 * their scores are the same to the bit, the model hides its slopes: its scores are clipped or saturated, or it rounds its
 * input or its own numbers. That an attack found nothing then says little.
 */
export async function flatness(
  model: Model,
  { pixels }: { readonly pixels: Float32Array },
  seed = 0,
  signal?: AbortSignal,
): Promise<Flatness> {
  const rows = 1 + lengths.length
  const write = (row: number, into: Float32Array | Float64Array, offset = 0): void => {
    const length = row === 0 ? 0 : (lengths[row - 1] as number)
    pixels.forEach((pixel, i) => {
      const side = randomWord({ seed, iteration: 0, row }, 'data', i) % 2 === 0 ? 1 : -1
      into[offset + i] = Math.min(1, Math.max(0, pixel + side * length))
    })
  }
  const { scores } = await askModel(model, { rows, write }, { signal })
  const isSame = (each: number, i: number): boolean => each === scores[i % model.classes]
  return { isFlat: scores.every(isSame), modelCalls: rows }
}

/** Reasons not to rely on a result: answers that were contradicted, what a second method found, and models without slopes. */
export function reliabilityWarnings(images: readonly ImageRecord[]): string[] {
  return [...contradictions(images), ...falseRobustness(images), ...flatImages(images)]
}

/** A model that does not agree with itself is worth a look, even if all that counts was confirmed. */
function contradictions(images: readonly ImageRecord[]): string[] {
  const doubted = images.filter(({ confirmations }) => (confirmations?.contradicted ?? 0) > 0)
  if (doubted.length === 0) return []
  const count = doubted.reduce((sum, { confirmations }) => sum + (confirmations?.contradicted ?? 0), 0)
  const what = `${count === 1 ? '1 success' : `${count} successes`} on ${countOf(doubted.length)}`
  const why = 'its answers vary, or the rows of a request get mixed up'
  return [`${what} did not show again when the model was asked again: ${why}`]
}

function countOf(images: number): string {
  return images === 1 ? '1 image' : `${images} images`
}

/** A second method that succeeds shows that the first one's result was its own weakness. */
function falseRobustness(images: readonly ImageRecord[]): string[] {
  const found = images.flatMap(({ methods = [] }) => {
    const second = methods.find(({ fooled, isSecond }) => fooled && isSecond === true)
    return second === undefined ? [] : [{ first: methods[0]?.method, later: second.method }]
  })
  const pairs = [...new Set(found.map(({ first, later }) => JSON.stringify([first, later])))]
  return pairs.map((pair) => {
    const [first, later] = JSON.parse(pair) as [string, string]
    const count = found.filter((each) => each.first === first && each.later === later).length
    const what = `${countOf(count)} that withstood ${first}`
    return `${what} did not withstand ${later}: robustness against ${first} alone would have been false`
  })
}

function flatImages(images: readonly ImageRecord[]): string[] {
  const robust = images.filter(({ status }) => status === 'robust')
  const flat = robust.filter(({ isFlat }) => isFlat === true).length
  if (flat === 0) return []
  const what = `around ${flat} of ${robust.length} images that withstood, the model gives the same scores to the bit`
  const why = 'it may round its input, or clip or saturate its scores'
  return [`${what}: ${why}, and hide that it can be fooled; attack it before that step, or with larger changes`]
}

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
  screened: readonly ScreenedImage[],
  given: RobustnessOptions,
  signal: AbortSignal | undefined,
): Promise<NoiseRecord | null> {
  const { solver, formulation, seed, maxQueries } = parseOptions('evaluateRobustness', robustnessOptions, given)
  const { channels, height, width } = model.shape
  const probe = probeLength(solver, channels * height * width)
  const isCoarse = model.grid !== undefined || model.scores === 'labels' || probe === undefined
  const attacked = screened.filter(({ status }) => status === 'attacked')
  const isWorthwhile = mostNoiseCalls <= worthwhile * maxQueries * attacked.length
  const chosen = isCoarse || !isWorthwhile ? [] : attacked.filter(isTelling).slice(0, most.images)
  const pictures = await Promise.all(chosen.map(({ index }) => dataset.read(index).catch(() => undefined)))
  const probed = chosen.flatMap((image, i) => {
    const pixels = pictures[i]?.pixels
    return pixels === undefined ? [] : [{ image, pixels, posed: formulation.start([pixels]) }]
  })
  if (probed.length === 0 || probe === undefined) return null
  const tally = newTally()
  const painter = painterOf(probed, probe.length, seed)
  const asked = { model: modelWith(model, { scores: scoresOf(screened, model) }), probed, tally, signal }
  const lines = await margins(asked, probed.length * rowsPerImage, rowsPerImage, painter)
  const again = await margins(asked, probed.length, 1, (row, into, at) => painter(row * rowsPerImage, into, at))
  const found = sharesOf(lines, again, probed.length)
  if (found === null) return null
  const { length, option, owner } = probe
  const longer =
    owner === 'nearest-boundary' && found.share >= tolerable ? { probe: longerProbe(found.share, length) } : {}
  return { ...found, length, option, ...longer, asked: probed.length * (rowsPerImage + 1), ...tally }
}

/** Scores of 0 and 1 hide slopes by themselves, which is said of them. */
function isTelling({ scoresAre, oneHot }: ScreenedImage): boolean {
  return scoresAre !== 'saturated' && oneHot !== true
}

interface Probed {
  readonly image: ScreenedImage
  readonly pixels: Float32Array
  readonly posed: FormulationState
}

type Paint = (row: number, into: Float32Array | Float64Array, offset?: number) => void

/** Writes the pictures of all images, `rowsPerImage` each: unit vectors of random signs, the same for the same seed. */
function painterOf(probed: readonly Probed[], length: number, seed: number): Paint {
  return (row, into, offset = 0) => {
    const { posed } = probed[Math.floor(row / rowsPerImage)] as Probed
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
  readonly probed: readonly Probed[]
  readonly tally: Tally
  readonly signal: AbortSignal | undefined
}

/** How far each picture is from what the attack wants; NaN where there was no answer. */
async function margins({ model, probed, tally, signal }: Asking, rows: number, each: number, write: Paint) {
  const { scores } = await askModel(model, { rows, write }, { signal, tally })
  const found = Array.from({ length: rows }, (_, row) => {
    const { label, target } = (probed[Math.floor(row / each)] as Probed).image
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

/** How long the probes of a method are at first, and the option of the method that says so. */
interface ProbeLength {
  readonly length: number
  /** As in `solver.nearer.smoothing`. */
  readonly option: string
  /** The method or the estimator that has the option. */
  readonly owner: string
}

/** The option of methods, and of estimators inside them, that is the length of probes. */
const key = 'smoothing'

/** The length of the probes of a method, or of the first method or estimator inside it that has one; undefined without any. */
function probeLength(solver: Solver, dim: number): ProbeLength | undefined {
  return lengthIn(solver, 'solver', dim)
}

function lengthIn(part: object, path: string, dim: number): ProbeLength | undefined {
  const options = (originOf(part)?.options ?? {}) as Record<string, unknown>
  const own = options[key]
  if (own !== undefined) {
    const owner = originOf(part)?.name ?? ''
    return { length: scheduleOf(own as ScheduleOption)(1, dim), option: `${path}.${key}`, owner }
  }
  for (const [name, value] of Object.entries(options)) {
    if (typeof value !== 'object' || value === null) continue
    const found = lengthIn(value, `${path}.${name}`, dim)
    if (found !== undefined) return found
  }
  return undefined
}
