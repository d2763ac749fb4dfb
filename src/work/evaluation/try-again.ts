import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ImageRecord, type Looked, missingImages, type RobustnessOptions, survey } from '../../attacks/index.ts'
import type { Dataset } from '../../datasets/index.ts'
import type { Model } from '../../models/index.ts'
import { readImages } from './attack-files.ts'
import { imageFolder, layout } from './attack-layout.ts'
import { victimsOf } from './victims-of.ts'

/** What is needed to try images again. */
export interface SecondTry {
  readonly folder: string
  readonly model: Model
  readonly dataset: Dataset
  readonly options: RobustnessOptions
  readonly signal: AbortSignal
  /** Told of every image that is tried again. */
  readonly note: (text: string) => void
}

/** Whether an image failed although it could be read and has a label: the model did not answer, and may now. */
export function isWorthAnother({ status, predicted, modelCalls }: ImageRecord): boolean {
  return status === 'failed' && (predicted !== null || modelCalls > 0)
}

/**
 * Gives images that failed for want of an answer another try: looks at them again, and forgets their attacks. What the
 * attack came to as a whole goes first: however this ends, nobody takes it for the last word. Returns what is known of the
 * images then, the same list where nothing failed.
 */
export async function tryAgain(old: readonly Looked[], wanted: SecondTry): Promise<readonly Looked[]> {
  const { folder, options, note } = wanted
  const looked = await lookAgain(old, wanted)
  const failed = [...readImages(folder).values()].filter(isWorthAnother).map(({ index }) => index)
  if (looked === old && failed.length === 0) return old
  for (const file of [layout.summary, layout.page, layout.table]) rmSync(join(folder, file), { force: true })
  // One perturbation for all images was sought for those there were.
  const isOther = String(victimsOf(looked)) !== String(victimsOf(old))
  if (options.universal === true && (isOther || failed.length > 0)) forget(folder, layout.universal)
  for (const index of failed.sort((a, b) => a - b)) {
    note(`image ${index}: tried again`)
    forget(folder, imageFolder(index))
  }
  return looked
}

/**
 * Looks again at images the model did not answer for; what is known of the others stays. No more are then attacked than
 * were asked for: one that took the place of a failed one is not needed where that can be attacked now.
 */
async function lookAgain(old: readonly Looked[], wanted: SecondTry): Promise<readonly Looked[]> {
  if (!old.some(wasSilent)) return old
  const { model, dataset, options, signal, note } = wanted
  const { count, target } = options
  let looked: Looked[] = []
  while (looked.length < old.length && missingImages(looked, count, dataset.count) > 0) {
    const at = looked.length
    const end = old.findIndex((each, i) => i >= at && !wasSilent(each))
    if (end === at) looked.push(old[at] as Looked)
    else looked = await survey(model, upTo(dataset, end < 0 ? old.length : end), { count, target, signal, looked })
    if (end !== at) for (const { index } of looked.slice(at)) note(`image ${index}: looked at again`)
  }
  return looked
}

function wasSilent({ standing, modelCalls }: Looked): boolean {
  return standing === 'failed' && modelCalls > 0
}

/** The first images of a data set. */
function upTo(dataset: Dataset, count: number): Dataset {
  const { name } = dataset
  return { name, count, title: (i) => dataset.title(i), label: (i) => dataset.label(i), read: (i) => dataset.read(i) }
}

function forget(folder: string, below: string): void {
  rmSync(join(folder, below), { recursive: true, force: true })
}
