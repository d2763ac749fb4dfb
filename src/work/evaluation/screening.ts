import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ImageRecord,
  missingImages,
  type NoiseRecord,
  noiseFloor,
  type RobustnessOptions,
  type Screened,
  screenImages,
  screeningJson,
  storedNoise,
  storedScreening,
} from '../../attacks/index.ts'
import type { Dataset } from '../../datasets/index.ts'
import { diagnosis, type Model } from '../../models/index.ts'
import { imageFolder, layout, lostQueries, readImages, readJson, writeJson } from './attack-files.ts'

/** What screening has found, and what it says about the model. */
export interface Screening {
  readonly screened: readonly Screened[]
  readonly warnings: readonly string[]
  /** How much of what probes measure is noise; null or left out where that was not measured. */
  readonly noise?: NoiseRecord | null | undefined
  /** Whether enough images were found and the warnings are known. */
  readonly isComplete: boolean
}

/** What is screened, where it is kept, and who is told. */
export interface ScreeningTask {
  readonly folder: string
  readonly model: Model
  readonly dataset: Dataset
  readonly options: RobustnessOptions
  readonly signal: AbortSignal
  /** Whether a few more calls may be spent on finding out what is wrong with the model. */
  readonly mayDiagnose: boolean
  /** Told of every image that is tried again. */
  readonly note: (text: string) => void
  readonly onScreened: (screened: readonly Screened[]) => void
}

/** Screens the images, from where earlier processes left it to the end; those that got no answer are tried again. */
export async function performScreening(task: ScreeningTask): Promise<Screening> {
  const { folder, model, dataset, options, signal, mayDiagnose, onScreened } = task
  const { count, target } = options
  const old = readScreening(folder) ?? { screened: [], warnings: [], isComplete: false }
  const again = await tryAgain(old.screened, task)
  let found: Screening =
    again === old.screened ? old : { screened: again, warnings: [], noise: old.noise, isComplete: false }
  const keep = async (screened: readonly Screened[]): Promise<void> => {
    const isComplete = missingImages(screened, count, dataset.count) === 0
    const warnings = isComplete && mayDiagnose ? await diagnose(model, dataset, screened, signal) : []
    // Attacks begin once screening is complete, and must go on as they began: what was found by then stays.
    const isNew = isComplete && !old.isComplete
    const noise = isNew ? await noiseFloor(model, dataset, screened, options, signal) : old.noise
    found = { screened: [...screened], warnings, noise, isComplete }
    writeScreening(folder, found)
    onScreened(screened)
  }
  if (!found.isComplete && found.screened.length > 0) await keep(found.screened)
  else onScreened(found.screened)
  await screenImages(model, dataset, { count, target, signal, screened: found.screened, onScreened: keep })
  return found
}

/** Keeps what screening has found so far. */
export function writeScreening(folder: string, { screened, warnings, noise, isComplete }: Screening): void {
  const looked = screeningJson(screened)
  const found = { isComplete, warnings, ...(noise == null ? {} : { noise }), looked }
  writeJson(join(folder, layout.screening), { format: 'zeroth-survey', version: 1, ...found })
}

/** What earlier processes found; undefined where there is nothing, or nothing that can be read. */
export function readScreening(folder: string): Screening | undefined {
  const { looked, warnings, noise, isComplete } = readJson(join(folder, layout.screening)) ?? {}
  const found = storedScreening.safeParse(looked)
  if (!found.success) return undefined
  const texts = Array.isArray(warnings) ? warnings.map(String) : []
  const measured = storedNoise.safeParse(noise)
  return {
    screened: found.data,
    warnings: texts,
    ...(measured.success ? { noise: measured.data } : {}),
    isComplete: isComplete === true,
  }
}

/** The numbers of the images that are attacked. */
export function victimsOf(screened: readonly Screened[]): number[] {
  return screened.filter(({ status }) => status === 'attacked').map(({ index }) => index)
}

/** Whether an image failed or is unfinished because the model did not respond: it may now. */
export function isWorthAnother({ status, predicted, modelCalls }: ImageRecord): boolean {
  return status === 'unfinished' || (status === 'failed' && (predicted !== null || modelCalls > 0))
}

/** Whether an attack goes on where it was given up: nothing but answers of the model is in its journal. */
function goesOn({ status, stopReason }: ImageRecord): boolean {
  return status === 'unfinished' && stopReason === 'model-unreachable'
}

/**
 * Gives images for which the model did not respond another try: screens them again, and deletes the attacks that it did not
 * answer; those that it could not be asked go on where they were. The report is deleted first, so that it is never taken for
 * that of the second try. Returns what is known of the images then, the same list where nothing failed.
 */
async function tryAgain(old: readonly Screened[], wanted: ScreeningTask): Promise<readonly Screened[]> {
  const { folder, options, note } = wanted
  const screened = await screenAgain(old, wanted)
  const again = [...readImages(folder).values()].filter(isWorthAnother).sort((a, b) => a.index - b.index)
  if (screened === old && again.length === 0) return old
  for (const file of [layout.summary, layout.page, layout.table, layout.limits, layout.baseline])
    rmSync(join(folder, file), { force: true })
  // One perturbation for all images was sought for those there were.
  const isOther = String(victimsOf(screened)) !== String(victimsOf(old))
  if (options.universal === true && (isOther || !again.every(goesOn))) forget(folder, layout.universal)
  const lose = lostQueries(folder)
  for (const image of again) {
    const { index } = image
    note(`image ${index}: ${goesOn(image) ? 'continued' : 'tried again'}`)
    if (goesOn(image)) forget(folder, join(imageFolder(index), layout.image))
    else {
      const screening = old.find((each) => each.index === index)?.failedQueries ?? 0
      lose(index, image.failedQueries - screening - lose(index, 0))
      forget(folder, imageFolder(index))
    }
  }
  return screened
}

/**
 * Screens images again for which the model did not respond; what is known of the others stays. No more are then attacked
 * than were asked for: one that replaced a failed one is not needed where that can be attacked now.
 */
async function screenAgain(old: readonly Screened[], wanted: ScreeningTask): Promise<readonly Screened[]> {
  if (!old.some(wasSilent)) return old
  const { model, dataset, options, signal, note } = wanted
  const { count, target } = options
  let screened: Screened[] = []
  while (screened.length < old.length && missingImages(screened, count, dataset.count) > 0) {
    const at = screened.length
    const end = old.findIndex((each, i) => i >= at && !wasSilent(each))
    if (end === at) screened.push(old[at] as Screened)
    else
      screened = await screenImages(model, upTo(dataset, end < 0 ? old.length : end), {
        count,
        target,
        signal,
        screened,
      })
    if (end === at) continue
    screened = screened.map((each, i) => (i < at ? each : withFailures(each, old[i])))
    for (const { index } of screened.slice(at)) note(`image ${index}: screened again`)
  }
  return screened
}

/** Calls that brought nothing stay counted. */
function withFailures(image: Screened, before: Screened | undefined): Screened {
  const failedQueries = (image.failedQueries ?? 0) + (before?.failedQueries ?? 0)
  const retries = (image.retries ?? 0) + (before?.retries ?? 0)
  return failedQueries === 0 ? image : { ...image, failedQueries, retries }
}

function wasSilent({ status, modelCalls }: Screened): boolean {
  return status === 'failed' && modelCalls > 0
}

/** The first images of a data set. */
function upTo(dataset: Dataset, count: number): Dataset {
  const { name } = dataset
  return { name, count, title: (i) => dataset.title(i), label: (i) => dataset.label(i), read: (i) => dataset.read(i) }
}

function forget(folder: string, below: string): void {
  rmSync(join(folder, below), { recursive: true, force: true })
}

/** Fewer images say nothing about a model. */
const fewest = 5

/** What is probably wrong where a model misclassifies most untouched images: its preprocessing, the labels. */
async function diagnose(
  model: Model,
  dataset: Dataset,
  screened: readonly Screened[],
  signal: AbortSignal,
): Promise<string[]> {
  const seen = screened.filter(({ label, predicted }) => label !== null && predicted !== null)
  const correct = seen.filter(({ label, predicted }) => label === predicted).length
  if (seen.length < fewest || correct >= seen.length / 2) return []
  const read = (indices: readonly number[]) => Promise.all(indices.map((i) => dataset.read(seen[i]?.index ?? 0)))
  const labels = seen.map(({ label }) => label ?? undefined)
  const predictions = Int32Array.from(seen, ({ predicted }) => predicted ?? -1)
  return diagnosis(model, { labels, predictions, count: seen.length, correct, read }, signal)
}
