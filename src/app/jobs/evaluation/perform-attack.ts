import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, ZerothError } from '../../../optimizer/core/errors.ts'
import { type Dataset, encodePng, type Picture, perturbationPicture } from '../../../robustness/images/index.ts'
import {
  type AttackedPicture,
  type AttackProgress,
  type AttackReport,
  type AttackStore,
  attackScreened,
  type ImageRecord,
  inProcessExecutor,
  noiseWarnings,
  type PictureFiles,
  type ScreenedImage,
  screenedRecord,
} from '../../../robustness/index.ts'
import { batchedModel, type ModelOutage } from '../../../robustness/models/index.ts'
import { isService, type OpenedAttack, robustnessOf } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { digest, lockFolder, readOrdinary, readRun, writeWholeFile } from '../../store/index.ts'
import type { JobContext, Warning } from '../events.ts'
import { makeFolder } from '../folders.ts'
import { executorFor } from './attack-executor.ts'
import {
  attackedIndices,
  damagedFiles,
  imageFolder,
  imagesCsv,
  isWorthAnother,
  layout,
  limitsCsv,
  readImages,
  readReport,
  removeDamaged,
  type Screening,
  secondsKeeper,
  unansweredQueries,
  writeImage,
  writeReport,
} from './attack-files.ts'
import { type AttackMeter, itemDone, meterOf } from './attack-meter.ts'
import { type AttackRecord, networkContent } from './attack-record.ts'
import { type AttackObserver, dropCheckpoints, imageRuns, keepLastSnapshot, keepSnapshot } from './image-runs.ts'
import { performScreening } from './screening.ts'

/** An attack and where it is kept. */
interface AttackWork {
  readonly folder: string
  readonly record: AttackRecord
  /** Opens its model and its images; not called where nothing is left to do. */
  readonly open: () => Promise<Pick<OpenedAttack, 'model' | 'dataset' | 'retries' | 'onOutage'>>
}

/** Takes an attack from where it is to its end and keeps the report; undefined where it was interrupted. */
export async function performAttack(work: AttackWork, stage: JobContext): Promise<AttackReport | undefined> {
  const { folder, record } = work
  const { job: name, parent, title, emit, signal } = stage
  const { maxQueries, maxIterations } = record.spec as Record<string, number | undefined>
  const resumed = [layout.screening, layout.screened].some((file) => existsSync(join(folder, file)))
  emit(name, { type: 'started', kind: 'evaluation', parent, title, resumed, budget: { maxQueries, maxIterations } })
  try {
    if (damagedFiles(folder).length > 0 || !isFinished(folder)) await performLocked(work, stage)
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
async function performLocked(work: AttackWork, stage: JobContext): Promise<void> {
  const lock = await lockFolder(work.folder)
  try {
    if (lock.note !== undefined) warn(stage, 'note', lock.note)
    removeDamaged(work.folder, (text) => warn(stage, 'note', text))
    if (isFinished(work.folder)) return
    const keepSeconds = secondsKeeper(work.folder)
    const watched = { ...stage, signal: AbortSignal.any([stage.signal, lock.lost]) }
    const report = await evaluate(work, await work.open(), watched, keepSeconds).finally(keepSeconds)
    lock.check()
    writeReport(work.folder, report)
    if (isFinished(work.folder)) dropCheckpoints(join(work.folder, layout.universal))
  } finally {
    lock.release()
  }
}

/** Writes what other programs read, where it is not there: a process may have been killed before it could. */
async function completeFiles(
  folder: string,
  { spec, images, snapshots }: AttackRecord,
): Promise<AttackReport | undefined> {
  const report = readReport(folder)
  if (report === undefined) return undefined
  const { limits } = report.summary
  const derived = {
    [layout.table]: imagesCsv(report.images, images.classNames),
    ...(limits === undefined ? {} : { [layout.limits]: limitsCsv(limits) }),
    [layout.spec]: `${JSON.stringify(spec, null, 2)}\n`,
  }
  for (const [file, text] of Object.entries(derived)) {
    const path = join(folder, file)
    if (!existsSync(path) || new TextDecoder().decode(readOrdinary(path)) !== text) writeWholeFile(path, text)
  }
  const last = snapshots?.at(-1)
  if (last !== undefined) await keepLastSnapshot(folder, last)
  return report
}

async function evaluate(
  { folder, record }: AttackWork,
  opened: Awaited<ReturnType<AttackWork['open']>>,
  stage: JobContext,
  keepSeconds: () => void,
): Promise<AttackReport> {
  const { spec } = record
  const { model, dataset } = opened
  const { signal } = stage
  const before = opened.retries()
  const changes = changesOf(record, model)
  for (const message of [...model.warnings, ...changes]) warn(stage, 'model', message)
  const meter = meterOf(record, stage)
  const options = await robustnessOf(spec)
  opened.onOutage(outageReporter(meter, Number(spec.patience), (code, text) => warn(stage, code, text)))
  const screening = await performScreening({
    ...{ folder, model: batchedModel(model), dataset, options, signal },
    // A service of others is not asked more just to find a mistake.
    mayDiagnose: !isService(spec.model as JsonObject),
    note: (text) => warn(stage, 'note', text),
    onScreened: (screened) => meter.screened(screened.length, attackedIndices(screened).length),
  })
  tellScreening(screening, record, stage)
  const store = attackStore({ folder, record, screening, opened, meter, stage, keepSeconds })
  const onIteration = (at: AttackProgress): void => {
    meter.iteration(at)
    keepSnapshot(folder, at, record.snapshots)
  }
  const watch = { signal, parallel: spec.parallel as number | undefined, store, onIteration }
  let retriesAway = 0
  const executor = await executorFor({
    ...{
      folder,
      record,
      model,
      dataset,
      signal,
      onIteration,
      ...observer(meter, stage),
      addUnanswered: store.addUnanswered,
    },
    notice: (text) => warn(stage, 'queue', text),
    counted: meter.counted,
    askedAgain: (images) => {
      retriesAway += images
    },
    here: (briefing) => inProcessExecutor(batchedModel(model), dataset, options, watch, briefing),
  })
  const { screened, noise } = screening
  const report = await attackScreened(model, dataset, screened, options, { ...watch, executor }, noise)
  meter.flush()
  opened.onOutage()
  const again = askedAgain(opened.retries() - before + retriesAway)
  for (const message of again) warn(stage, 'note', message)
  return { ...report, warnings: [...changes, ...report.warnings, ...screening.warnings, ...again] }
}

/** What the attacks of an evaluation are kept with. */
interface Storing extends Pick<AttackWork, 'folder' | 'record'> {
  readonly screening: Screening
  readonly opened: Pick<OpenedAttack, 'model' | 'dataset'>
  readonly meter: AttackMeter
  readonly stage: JobContext
  readonly keepSeconds: () => void
}

/** Whom runs tell of queries, and of what had to be done to their files. */
function observer({ asked }: AttackMeter, stage: JobContext): Pick<AttackObserver, 'asked' | 'note'> {
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
  const pictureStore = { folder, dataset: opened.dataset, shape: opened.model.shape, shared: () => common.file }
  return {
    known: (index: number) => known.get(index),
    addUnanswered: unansweredQueries(folder),
    async keep(image: ImageRecord, picture: AttackedPicture | undefined) {
      await common.make()
      const kept = await keepImage(pictureStore, image, picture)
      shrink(folder, kept)
      // A process that is killed has told the time up to its last image.
      keepSeconds()
      meter.done(kept)
      stage.emit(stage.job, itemDone(kept, record.images.classNames))
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
function knownOf(folder: string, screened: readonly ScreenedImage[]): Map<number, ImageRecord> {
  const wanted = new Set(attackedIndices(screened))
  return new Map([...readImages(folder)].filter(([index]) => wanted.has(index)))
}

/** Images that are left out are done, and a model that is mostly wrong deserves a warning. */
function tellScreening({ screened, warnings, noise }: Screening, { images }: AttackRecord, stage: JobContext): void {
  for (const message of [...warnings, ...noiseWarnings(noise)]) warn(stage, 'images', message)
  for (const image of screened) {
    if (image.status !== 'attacked') stage.emit(stage.job, itemDone(screenedRecord(image), images.classNames))
  }
}

/** What of the model is not as it was when the attack began: it belongs to what came of it. */
function changesOf({ model: { runtime, content }, spec }: AttackRecord, model: OpenedAttack['model']): string[] {
  const other = `the attack began with ${runtime} and continues with ${model.runtime}: answers may differ`
  const changed = 'the file of the network has changed since the attack began: its images do not fit together'
  return [...(runtime === model.runtime ? [] : [other]), ...(content === networkContent(spec) ? [] : [changed])]
}

function askedAgain(retries: number): string[] {
  if (retries === 0) return []
  return [retries === 1 ? '1 image was retried' : `${retries} images were retried`]
}

function warn({ emit, job }: JobContext, code: Warning['code'], message: string): void {
  emit(job, { type: 'warning', code, message })
}

/** Milliseconds of silence that are worth a word, and between two words about it. */
const [first, next] = [2000, 30_000]

/** Tells people that a model does not answer, for how long, and when it answers again. */
export function outageReporter(
  meter: Pick<AttackMeter, 'outage'>,
  patience: number,
  warn: (code: Warning['code'], text: string) => void,
): (silence: ModelOutage) => void {
  let due = first
  return ({ milliseconds, reason, isOver }) => {
    meter.outage(isOver ? undefined : milliseconds)
    const seconds = `${Math.round(milliseconds / 1000)} s`
    if (isOver) {
      if (due > first) warn('note', `the model answers again, after ${seconds}`)
      due = first
    } else if (milliseconds >= due) {
      const most = Number.isFinite(patience) ? ` of ${patience} s` : ''
      warn('model', `the model does not answer: waiting (${seconds}${most}): ${messageOf(reason)}`)
      due = milliseconds + next
    }
  }
}

/** Where the pictures of an attack go. */
interface PictureStore {
  readonly folder: string
  readonly dataset: Dataset
  readonly shape: Picture['shape']
  /** The picture of a perturbation that all images share, relative to the folder. */
  readonly shared: () => string | undefined
}

/** Saves the pictures of an image, then its record, which says that all is there. */
async function keepImage(
  { folder, dataset, shape, shared }: PictureStore,
  record: ImageRecord,
  picture: AttackedPicture | undefined,
): Promise<ImageRecord> {
  const own = imageFolder(record.index)
  await makeFolder(join(folder, own))
  const hashes: Record<string, string> = {}
  const save = (name: string, pixels: Picture['pixels']): string => {
    const file = `${own.replaceAll('\\', '/')}/${name}.png`
    const png = encodePng({ shape, pixels })
    hashes[file] = digest(png)
    writeWholeFile(join(folder, file), png)
    return file
  }
  const files = !isPaintable(shape)
    ? null
    : picture === undefined
      ? await untouched(record, dataset, save)
      : changed(picture)
  const kept = { ...record, files, ...(files === null ? {} : { pictureHashes: hashes }) }
  writeImage(folder, kept)
  return kept

  function changed({ original, adversarial }: AttackedPicture): PictureFiles {
    const common = shared()
    if (common !== undefined && existsSync(join(folder, common)))
      hashes[common] = digest(readOrdinary(join(folder, common)))
    const delta = adversarial.map((pixel, i) => pixel - (original[i] as number))
    return {
      original: save('original', original),
      adversarial: save('adversarial', adversarial),
      perturbation: common ?? save('perturbation', perturbationPicture(delta, shape).pixels),
    }
  }
}

/** Files of pictures have a grey channel, or three colours. */
function isPaintable({ channels }: Picture['shape']): boolean {
  return channels === 1 || channels === 3
}

/** An image that withstood is shown as it is. */
async function untouched(
  { status, index }: ImageRecord,
  dataset: Dataset,
  save: (name: string, pixels: Picture['pixels']) => string,
): Promise<PictureFiles | null> {
  if (status !== 'robust') return null
  const { pixels } = await dataset.read(index)
  return { original: save('original', pixels) }
}

/** A picture that all images of an attack share. */
interface SharedPicture {
  /** Relative to the folder of the attack; undefined where every image has its own. */
  readonly file: string | undefined
  /** Makes it, once; its run must have ended. */
  make(): Promise<void>
}

/** The picture of a universal perturbation, where it is the very same change of the pixels of every image. */
function sharedPicture(folder: string, { spec, model }: AttackRecord): SharedPicture {
  const isShared = spec.universal === true && (spec.problem as JsonObject).name === 'constrained'
  if (!isShared) return { file: undefined, make: async () => undefined }
  const file = `${layout.universal}/perturbation.png`
  const write = async (): Promise<void> => {
    const { result } = await readRun(join(folder, layout.universal))
    if (result === undefined) return
    const delta = Float64Array.from(result.last.point)
    const picture = perturbationPicture(delta, model.shape as unknown as Picture['shape'])
    writeWholeFile(join(folder, file), encodePng(picture))
  }
  let making: Promise<void> | undefined
  return {
    file,
    make() {
      making ??= write()
      return making
    },
  }
}
