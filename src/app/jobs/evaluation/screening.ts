import { closeSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset } from '../../../robustness/images/index.ts'
import {
  type ImageRecord,
  isCorrect,
  isHopeless,
  isScreened,
  missingImages,
  noiseFloor,
  type RobustnessOptions,
  type ScreenedImage,
  screenImages,
  storedScreening,
} from '../../../robustness/index.ts'
import { diagnosis, type Model } from '../../../robustness/models/index.ts'
import { openOrdinary, writeWholeFile } from '../../store/index.ts'
import {
  attackedIndices,
  imageFolder,
  inOrder,
  isWorthAnother,
  layout,
  readImages,
  readScreening,
  type Screening,
  sealedLine,
  unansweredQueries,
  writeScreening,
} from './attack-files.ts'

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
  readonly onScreened: (screened: readonly ScreenedImage[]) => void
}

/** Screens the images, from where earlier processes left it to the end; those that got no answer are tried again. */
export async function performScreening(task: ScreeningTask): Promise<Screening> {
  const { folder, model, dataset, options, signal, mayDiagnose, note, onScreened } = task
  const { count, target } = options
  const old = readScreening(folder) ?? { screened: [], warnings: [], isComplete: false }
  const again = await tryAgain(old.screened, task)
  let found: Screening =
    again === old.screened ? old : { screened: again, warnings: [], noise: old.noise, isComplete: false }
  const append = found.isComplete ? undefined : appender(folder, found.screened)
  const keep = async (screened: readonly ScreenedImage[]): Promise<void> => {
    const isComplete = missingImages(screened, count, dataset.count) === 0
    const warnings = isComplete && mayDiagnose ? await diagnose(model, dataset, screened, signal) : []
    // Attacks begin once screening is complete, and must go on as they began: what was found by then stays.
    const isNew = isComplete && !old.isComplete
    const noise = isNew ? await noiseFloor(model, dataset, screened, options, signal) : old.noise
    if (count === undefined && isHopeless(screened) && !isHopeless(found.screened)) {
      note('the model misclassifies nearly all of the first images: Ctrl-C stops the evaluation')
    }
    found = { screened: [...screened], warnings, noise, isComplete }
    if (isComplete) writeScreening(folder, found)
    else append?.(screened)
    onScreened(screened)
  }
  if (!found.isComplete && found.screened.length > 0) await keep(found.screened)
  else onScreened(found.screened)
  await screenImages(model, dataset, { count, target, signal, screened: found.screened, onScreened: keep })
  return found
}

/** Begins a file to which screened images are appended: the same bytes are not written again for every few of them. */
function appender(folder: string, known: readonly ScreenedImage[]): (screened: readonly ScreenedImage[]) => void {
  const file = join(folder, layout.screened)
  const lineOf = (screened: readonly ScreenedImage[]) => sealedLine({ screened: inOrder(storedScreening, screened) })
  let length = known.length
  writeWholeFile(file, length === 0 ? '' : lineOf(known))
  rmSync(join(folder, layout.screening), { force: true })
  return (screened) => {
    const handle = openOrdinary(file, 'a+')
    try {
      if (screened.length > length) writeSync(handle, lineOf(screened.slice(length)))
    } finally {
      closeSync(handle)
    }
    length = screened.length
  }
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
async function tryAgain(old: readonly ScreenedImage[], wanted: ScreeningTask): Promise<readonly ScreenedImage[]> {
  const { folder, options, note } = wanted
  const screened = await screenAgain(old, wanted)
  const again = [...readImages(folder).values()].filter(isWorthAnother).sort((a, b) => a.index - b.index)
  if (screened === old && again.length === 0) return old
  for (const file of [layout.summary, layout.page, layout.table, layout.limits, layout.baseline])
    rmSync(join(folder, file), { force: true })
  // One perturbation for all images was sought for those there were.
  const isOther = String(attackedIndices(screened)) !== String(attackedIndices(old))
  if (options.universal === true && (isOther || !again.every(goesOn))) forget(folder, layout.universal)
  const lose = unansweredQueries(folder)
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
async function screenAgain(old: readonly ScreenedImage[], wanted: ScreeningTask): Promise<readonly ScreenedImage[]> {
  if (!old.some(wasSilent)) return old
  const { model, dataset, options, signal, note } = wanted
  const { count, target } = options
  let screened: ScreenedImage[] = []
  while (screened.length < old.length && missingImages(screened, count, dataset.count) > 0) {
    const at = screened.length
    const end = old.findIndex((each, i) => i >= at && !wasSilent(each))
    if (end === at) screened.push(old[at] as ScreenedImage)
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
function withFailures(image: ScreenedImage, before: ScreenedImage | undefined): ScreenedImage {
  const failedQueries = (image.failedQueries ?? 0) + (before?.failedQueries ?? 0)
  const retries = (image.retries ?? 0) + (before?.retries ?? 0)
  return failedQueries === 0 ? image : { ...image, failedQueries, retries }
}

function wasSilent({ status, modelCalls }: ScreenedImage): boolean {
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
  screened: readonly ScreenedImage[],
  signal: AbortSignal,
): Promise<string[]> {
  const seen = screened.filter(isScreened)
  const correct = seen.filter(isCorrect).length
  if (seen.length < fewest || correct >= seen.length / 2) return []
  const read = (indices: readonly number[]) => Promise.all(indices.map((i) => dataset.read(seen[i]?.index ?? 0)))
  const labels = seen.map(({ label }) => label ?? undefined)
  const predictions = Int32Array.from(seen, ({ predicted }) => predicted ?? -1)
  return diagnosis(model, { labels, predictions, count: seen.length, correct, read }, signal)
}
