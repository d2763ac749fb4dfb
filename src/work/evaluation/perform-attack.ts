import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AttackedPicture,
  type AttackProgress,
  type AttackReport,
  type AttackStore,
  attackScreened,
  type ImageRecord,
  imageAttacker,
  noiseWarnings,
  type Screened,
  screenedRecord,
} from '../../attacks/index.ts'
import { messageOf, ZerothError } from '../../core/errors.ts'
import { coalesced } from '../../models/index.ts'
import { isService, limitsOf, type OpenedAttack, robustnessOf } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { lockFolder, writeWholeFile } from '../../trace/index.ts'
import type { Warning } from '../events.ts'
import type { Stage } from '../performing.ts'
import { attackBeside } from './attack-beside.ts'
import {
  imageFolder,
  imagesCsv,
  layout,
  lostQueries,
  readImages,
  readReport,
  secondsKeeper,
  writeReport,
} from './attack-files.ts'
import { type AttackMeter, attackMeter, itemDone } from './attack-meter.ts'
import type { AttackRecord } from './attack-record.ts'
import { type AttackObserver, dropCheckpoints, imageRuns, keepLastSnapshot, keepSnapshot } from './image-runs.ts'
import { limitsCsv } from './limits-table.ts'
import { keepImage, sharedPicture } from './pictures.ts'
import { isWorthAnother, performScreening, readScreening, type Screening, victimsOf } from './screening.ts'
import { silenceTeller } from './silence.ts'

/** An attack and where it is kept. */
export interface AttackWork {
  readonly folder: string
  readonly record: AttackRecord
  /** Opens its model and its images; not called where nothing is left to do. */
  readonly open: () => Promise<Pick<OpenedAttack, 'model' | 'dataset' | 'retries' | 'hear'>>
}

/** Takes an attack from where it is to its end and keeps the report; undefined where it was interrupted. */
export async function performAttack(work: AttackWork, stage: Stage): Promise<AttackReport | undefined> {
  const { folder, record } = work
  const { work: name, parent, title, emit, signal } = stage
  const { maxQueries, maxIterations } = record.spec as Record<string, number | undefined>
  const resumed = readScreening(folder) !== undefined
  emit(name, { type: 'started', kind: 'evaluation', parent, title, resumed, budget: { maxQueries, maxIterations } })
  try {
    if (!isFinished(folder)) await performLocked(work, stage)
    const report = await completeFiles(folder, record)
    emit(name, { type: 'finished', status: 'finished', reason: 'complete' })
    return report
  } catch (error) {
    const isInterrupted = signal.aborted && error === signal.reason
    const status = isInterrupted ? 'interrupted' : 'failed'
    emit(name, { type: 'finished', status, reason: isInterrupted ? 'aborted' : messageOf(error) })
    if (isInterrupted) return undefined
    // An explanation of the error can then say which attack it was.
    const canContinue = !(error instanceof ZerothError && error.code === 'invalid-run')
    if (error instanceof Error && canContinue) Object.assign(error, { run: folder })
    throw error
  }
}

/** Whether nothing is left to do: the report is there, and neither an image nor a canary is without an answer. */
function isFinished(folder: string): boolean {
  const report = readReport(folder)
  if (report === undefined || report.images.some(isWorthAnother)) return false
  return (report.canaries?.unanswered ?? 0) === 0
}

/** One process at a time works in a folder. */
async function performLocked(work: AttackWork, stage: Stage): Promise<void> {
  const lock = lockFolder(work.folder)
  try {
    if (lock.note !== undefined) warn(stage, 'note', lock.note)
    const keepSeconds = secondsKeeper(work.folder)
    const report = await evaluate(work, await work.open(), stage, keepSeconds).finally(keepSeconds)
    writeReport(work.folder, report)
    if (isFinished(work.folder)) dropCheckpoints(join(work.folder, layout.universal))
  } finally {
    lock.release()
  }
}

/** Writes what other programs read, unless all of it is there: a process may have been killed before it could. */
async function completeFiles(
  folder: string,
  { spec, images, snapshots }: AttackRecord,
): Promise<AttackReport | undefined> {
  const report = readReport(folder)
  if (report === undefined) return undefined
  const { limits } = report.summary
  const wanted = [layout.table, layout.spec, ...(limits === undefined ? [] : [layout.limits])]
  if (!wanted.every((file) => existsSync(join(folder, file)))) {
    writeWholeFile(join(folder, layout.table), imagesCsv(report.images, images.classNames))
    if (limits !== undefined) writeWholeFile(join(folder, layout.limits), limitsCsv(limits))
    writeWholeFile(join(folder, layout.spec), `${JSON.stringify(spec, null, 2)}\n`)
  }
  const last = snapshots?.at(-1)
  if (last !== undefined) await keepLastSnapshot(folder, last)
  return report
}

async function evaluate(
  { folder, record }: AttackWork,
  opened: Awaited<ReturnType<AttackWork['open']>>,
  stage: Stage,
  keepSeconds: () => void,
): Promise<AttackReport> {
  const { spec } = record
  const { model, dataset } = opened
  const { emit, signal, work: name } = stage
  const before = opened.retries()
  for (const message of modelWarnings(record, model)) warn(stage, 'model', message)
  const meter = attackMeter({
    emit: (progress) => emit(name, progress),
    // Each of several limits has the whole budget.
    maxQueries: Number(spec.maxQueries) * (limitsOf(spec)?.sizes.length ?? 1),
    maxIterations: spec.maxIterations as number | undefined,
    universal: spec.universal === true,
  })
  const options = robustnessOf(spec)
  opened.hear(silenceTeller(meter, Number(spec.patience), (code, text) => warn(stage, code, text)))
  const screening = await performScreening({
    ...{ folder, model: coalesced(model), dataset, options, signal },
    // A service of others is not asked more just to find a mistake.
    mayDiagnose: !isService(spec.model as JsonObject),
    note: (text) => warn(stage, 'note', text),
    onScreened: (screened) => meter.screened(screened.length, victimsOf(screened).length),
  })
  tellScreening(screening, record, stage)
  const store = attackStore({ folder, record, screening, opened, meter, stage, keepSeconds })
  const onIteration = (at: AttackProgress): void => {
    meter.iteration(at)
    keepSnapshot(folder, at, record.snapshots)
  }
  const watch = { signal, parallel: spec.parallel as number | undefined, store, onIteration }
  let retriesAway = 0
  const beside = attackBeside({
    ...{ folder, record, model, dataset, signal, onIteration, ...observer(meter, stage), lost: store.lost },
    notice: (text) => warn(stage, 'queue', text),
    counted: meter.counted,
    askedAgain: (images) => {
      retriesAway += images
    },
    here: (briefing) => imageAttacker(coalesced(model), dataset, options, watch, briefing),
  })
  const control = { ...watch, ...beside.control }
  const { screened, noise } = screening
  const report = await attackScreened(model, dataset, screened, options, control, noise).finally(beside.close)
  meter.flush()
  opened.hear()
  const again = askedAgain(opened.retries() - before + retriesAway)
  for (const message of again) warn(stage, 'note', message)
  return { ...report, warnings: [...report.warnings, ...screening.warnings, ...again] }
}

/** What the attacks of an evaluation are kept with. */
interface Storing extends Pick<AttackWork, 'folder' | 'record'> {
  readonly screening: Screening
  readonly opened: Pick<OpenedAttack, 'model' | 'dataset'>
  readonly meter: AttackMeter
  readonly stage: Stage
  readonly keepSeconds: () => void
}

/** Whom runs tell of queries, and of what had to be done to their files. */
function observer({ asked }: AttackMeter, stage: Stage): Pick<AttackObserver, 'asked' | 'note'> {
  return { asked, note: (text) => warn(stage, 'note', text) }
}

/** Keeps images, their pictures and their runs in the folder of the attack. */
function attackStore({ folder, record, screening, opened, meter, stage, keepSeconds }: Storing) {
  const known = knownOf(folder, screening.screened)
  for (const image of known.values()) {
    meter.done(image)
    shrink(folder, image)
  }
  meter.flush()
  const common = sharedPicture(folder, record)
  const album = { folder, dataset: opened.dataset, shape: opened.model.shape, shared: () => common.file }
  return {
    known: (index: number) => known.get(index),
    lost: lostQueries(folder),
    async keep(image: ImageRecord, picture: AttackedPicture | undefined) {
      await common.make()
      const kept = await keepImage(album, image, picture)
      shrink(folder, kept)
      // A process that is killed has told the time up to its last image.
      keepSeconds()
      meter.done(kept)
      stage.emit(stage.work, itemDone(kept, record.images.classNames))
      return kept
    },
    run: imageRuns(folder, record, {
      ...observer(meter, stage),
      about: (index) => screening.screened.find((each) => each.index === index),
    }),
  } satisfies AttackStore
}

/** Leaves of an image that is done what is still read: its record, its pictures, its trace and its journal. */
function shrink(folder: string, image: ImageRecord): void {
  if (!isWorthAnother(image)) dropCheckpoints(join(folder, imageFolder(image.index)))
}

/** The images that earlier processes completed, as far as they are still wanted. */
function knownOf(folder: string, screened: readonly Screened[]): Map<number, ImageRecord> {
  const wanted = new Set(victimsOf(screened))
  return new Map([...readImages(folder)].filter(([index]) => wanted.has(index)))
}

/** Images that are left out are done, and a model that is mostly wrong deserves a warning. */
function tellScreening({ screened, warnings, noise }: Screening, { images }: AttackRecord, stage: Stage): void {
  for (const message of [...warnings, ...noiseWarnings(noise)]) warn(stage, 'images', message)
  for (const image of screened) {
    if (image.status !== 'attacked') stage.emit(stage.work, itemDone(screenedRecord(image), images.classNames))
  }
}

function modelWarnings({ model: { runtime } }: AttackRecord, model: OpenedAttack['model']): string[] {
  const other = `the attack began with ${runtime} and continues with ${model.runtime}: answers may differ`
  return [...model.warnings, ...(runtime === model.runtime ? [] : [other])]
}

function askedAgain(retries: number): string[] {
  if (retries === 0) return []
  return [`${retries === 1 ? '1 image' : `${retries} images`} had to be asked about again`]
}

function warn({ emit, work }: Stage, code: Warning['code'], message: string): void {
  emit(work, { type: 'warning', code, message })
}
