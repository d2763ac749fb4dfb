import {
  type AttackReport,
  evaluateRobustness,
  type ImageRecord,
  type Looked,
  missingImages,
} from '../../attacks/index.ts'
import { attackLine } from '../../cli/attack/attack-line.ts'
import type { Watcher } from '../../cli/watch.ts'
import { isService, type OpenedAttack, robustnessOf } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { lockFolder } from '../../trace/index.ts'
import { readImages, readReport, readSurvey, writeReport, writeSurvey } from './attack-files.ts'
import type { AttackRecord } from './attack-record.ts'
import { diagnose } from './diagnose.ts'
import { keepImage } from './keep-image.ts'
import { sharedPicture } from './shared-picture.ts'
import { keepSnapshot } from './snapshots.ts'
import { storedAttack } from './stored-attack.ts'
import { tryAgain } from './try-again.ts'
import { victimsOf } from './victims-of.ts'

/** An attack and where it is kept. */
export interface AttackWork {
  readonly folder: string
  readonly record: AttackRecord
  readonly opened: Pick<OpenedAttack, 'model' | 'dataset' | 'retries'>
  /** Which of several attacks it is. */
  readonly label?: string | undefined
  /** Iterations at which a universal perturbation is kept. */
  readonly snapshots?: readonly number[] | undefined
}

/** Takes an attack from where it stands to its end and keeps what it came to; undefined where Ctrl-C was first. */
export async function performAttack(work: AttackWork, watching: Watcher): Promise<AttackReport | undefined> {
  const { folder } = work
  const lock = lockFolder(folder)
  try {
    if (lock.note !== undefined) watching.say(`zeroth: ${lock.note}`)
    writeReport(folder, await evaluate(work, watching))
    return readReport(folder)
  } catch (error) {
    if (watching.signal.aborted && error === watching.signal.reason) return undefined
    // Whoever explains it can then say which attack it was.
    if (error instanceof Error) Object.assign(error, { run: folder })
    throw error
  } finally {
    lock.release()
  }
}

async function evaluate(
  { folder, record, opened, label, snapshots }: AttackWork,
  watching: Watcher,
): Promise<AttackReport> {
  const { model, dataset } = opened
  const { spec } = record
  const { signal } = watching
  const options = robustnessOf(spec)
  const universal = spec.universal === true
  const line = attackLine({
    clock: () => performance.now(),
    maxQueries: Number(spec.maxQueries),
    maxIterations: spec.maxIterations as number | undefined,
    universal,
    label,
  })
  const before = opened.retries()
  const old = readSurvey(folder) ?? { looked: [], warnings: [], isComplete: false }
  const looked = await tryAgain(old.looked, { folder, model, dataset, options, signal, note: watching.say })
  let survey = looked === old.looked ? old : { looked, warnings: [], isComplete: false }
  const known = knownOf(folder, looked)

  const onLooked = async (looked: readonly Looked[]): Promise<void> => {
    line.looked(looked.length, victimsOf(looked).length)
    const isComplete = missingImages(looked, options.count, dataset.count) === 0
    // What it costs to look for a mistake is not asked of somebody else's service.
    const isLocal = !isService(spec.model as JsonObject)
    const warnings = isComplete && isLocal ? await diagnose(model, dataset, looked, signal) : []
    for (const warning of warnings) watching.warn(`warning: ${warning}`)
    survey = { looked, warnings, isComplete }
    writeSurvey(folder, survey)
  }
  if (!survey.isComplete && survey.looked.length > 0) await onLooked(survey.looked)
  else line.looked(survey.looked.length, victimsOf(survey.looked).length)
  for (const image of known.values()) line.done(image)

  const common = sharedPicture(folder, record)
  const album = { folder, dataset, shape: model.shape, shared: () => common.file }
  const run = storedAttack(folder, record, {
    asked: line.asked,
    note: (text) => watching.say(`zeroth: ${text}`),
    about: (index) => survey.looked.find((each) => each.index === index),
  })
  const end = watching.display(line)
  try {
    const report = await evaluateRobustness(model, dataset, options, {
      signal,
      parallel: spec.parallel as number | undefined,
      looked: survey.looked,
      onLooked,
      known: (index) => known.get(index),
      async keep(image, picture) {
        await common.make()
        const kept = await keepImage(album, image, picture)
        line.done(kept)
        return kept
      },
      onIteration(at) {
        line.iteration(at)
        keepSnapshot(folder, at, snapshots)
      },
      run,
    })
    return { ...report, warnings: [...report.warnings, ...survey.warnings, ...askedAgain(opened.retries() - before)] }
  } finally {
    end()
  }
}

/** The images an earlier process was done with, as far as they are still wanted. */
function knownOf(folder: string, looked: readonly Looked[]): Map<number, ImageRecord> {
  const wanted = new Set(victimsOf(looked))
  return new Map([...readImages(folder)].filter(([index]) => wanted.has(index)))
}

/** That images had to be asked about again, in words, where they had to. */
export function askedAgain(retries: number): string[] {
  if (retries === 0) return []
  return [`${retries === 1 ? '1 image' : `${retries} images`} had to be asked about again`]
}

/** Whether nothing can be said, because no image could be used. */
export function isHopeless(images: readonly ImageRecord[]): boolean {
  return images.length === 0 || images.every(({ status }) => status === 'failed')
}
