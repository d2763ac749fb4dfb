import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import type { AttackCurve, AttackPoint, AttackReport, ImageRecord } from '../../src/robustness/records.ts'
import { summarizeAttack } from '../../src/robustness/summary.ts'

/** What a sample evaluation may differ in. */
export interface SampleReport {
  readonly images?: number
  readonly skipped?: number
  readonly failed?: number
  /** How many of the attacked images are fooled. */
  readonly fooled?: number
  readonly iterations?: number
  readonly seed?: number
  /** How large changes are, about. */
  readonly size?: number
  readonly title?: (index: number) => string
  readonly warnings?: readonly string[]
  readonly pictures?: boolean
}

const queriesEach = 11
const classes = 10
const weights = { lambda: 10, kappa: 0 }

/** An evaluation of ten attacked images, eight of them fooled, and of three others, changed as a test needs it. */
export function sampleReport(sample: SampleReport = {}): AttackReport {
  const { images = 10, skipped = 2, failed = 1, fooled = Math.ceil(0.8 * images), warnings = [] } = sample
  const records = Array.from({ length: images + skipped + failed }, (_, index) => {
    if (index < images) return attacked(index, index < fooled, sample)
    return leftOut(index, index < images + skipped ? 'skipped' : 'failed', sample)
  })
  return { summary: summarizeAttack(records, weights), images: records, universal: null, warnings }
}

/** An evaluation in which one perturbation serves all images. */
export function sampleUniversal(sample: SampleReport = {}): AttackReport {
  const { iterations = 100 } = sample
  const report = sampleReport(sample)
  const iteration = column(50, (i) => Math.round((iterations * i) / 49))
  const curve: AttackCurve = {
    iteration,
    queries: iteration.map((i) => 1 + i * queriesEach),
    loss: iteration.map((i) => 3 * Math.exp((-4 * i) / iterations)),
    l2sq: iteration.map((i) => (6 * i) / iterations),
    linf: iteration.map((i) => (0.2 * i) / iterations),
    fooled: iteration.map((i) => Math.round((8 * i) / iterations) / 10),
  }
  const images = report.images.map((image) => shared(image, sample))
  const attacked = report.summary.attacked
  const queries = iterations * queriesEach
  const universal = { curve, queries, images: attacked, modelCalls: queries * attacked }
  const summary = summarizeAttack(images, { ...weights, universal })
  return { ...report, summary, images, universal }
}

/** An image whose perturbation is that of all others: its queries are not its own, and what is kept is the last point. */
function shared(image: ImageRecord, sample: SampleReport): ImageRecord {
  const { files } = named(image.index, sample)
  if (image.final === null || files === null) return image
  const saved = { ...image.final, from: 'final' } as const
  return { ...image, queries: 0, curve: null, saved, files: { ...files, perturbation: 'perturbation.png' } }
}

function attacked(index: number, isFooled: boolean, sample: SampleReport): ImageRecord {
  const { iterations = 100, seed = 1, size = 1 } = sample
  const random = (i: number): number => randomUniform({ seed, iteration: 0, row: index }, 'data', i)
  const label = index % classes
  const other = (label + 1 + Math.floor(random(0) * (classes - 1))) % classes
  const begin = Math.max(1, Math.round(iterations * (0.1 + 0.7 * random(1))))
  const largest = size * (0.5 + 2 * random(2))
  const at = (iteration: number): AttackPoint => {
    const l2 = largest * Math.sqrt(iteration / iterations) * (isFooled && iteration > begin ? 0.9 : 1)
    const reached = isFooled && iteration >= begin
    const margin = isFooled ? (4 * (begin - iteration)) / iterations - 0.01 : 5 - iteration / iterations
    const predicted = reached ? other : label
    const queries = 1 + iteration * queriesEach
    return { iteration, queries, margin, predicted, fooled: reached, l2sq: l2 * l2, l2, linf: l2 / 8 }
  }
  const points = column(40, (i) => at(Math.round((iterations * i) / 39)))
  const [first, final] = [isFooled ? at(begin) : null, at(iterations)]
  const best = isFooled && begin < iterations ? at(begin + 1) : first
  const { title, files } = named(index, sample)
  return {
    index,
    title,
    files: isFooled ? files : null,
    label,
    predicted: label,
    target: null,
    status: isFooled ? 'fooled' : 'robust',
    reason: null,
    queries: final.queries,
    modelCalls: final.queries + 2,
    failedQueries: 0,
    retries: 0,
    success8bit: isFooled ? random(3) < 0.9 : null,
    first,
    best,
    final,
    saved: best === null ? null : { ...best, from: 'best' },
    stopReason: 'max-queries',
    curve: curveOf(points),
  }
}

function leftOut(index: number, status: 'skipped' | 'failed', sample: SampleReport): ImageRecord {
  const skipped = status === 'skipped'
  const none = { first: null, best: null, final: null, success8bit: null, saved: null, stopReason: null, curve: null }
  return {
    index,
    ...named(index, sample),
    ...none,
    label: index % classes,
    predicted: skipped ? (index + 1) % classes : null,
    target: null,
    status,
    reason: skipped ? 'the model misclassifies the untouched image' : 'the file is not a picture',
    queries: 0,
    modelCalls: skipped ? 1 : 0,
    failedQueries: 0,
    retries: 0,
    files: null,
  }
}

function named(index: number, { title, pictures = true }: SampleReport): Pick<ImageRecord, 'title' | 'files'> {
  const name = `image-${index}`
  const files = { original: `${name}.png`, adversarial: `${name}-adversarial.png`, perturbation: `${name}-change.png` }
  return { title: title?.(index) ?? name, files: pictures ? files : null }
}

function curveOf(points: readonly AttackPoint[]): AttackCurve {
  return {
    iteration: points.map(({ iteration }) => iteration),
    queries: points.map(({ queries }) => queries),
    loss: points.map(({ margin }) => Math.max(margin, 0)),
    l2sq: points.map(({ l2sq }) => l2sq),
    linf: points.map(({ linf }) => linf),
    fooled: points.map(({ fooled }) => Number(fooled)),
  }
}

function column<Value>(length: number, of: (i: number) => Value): Value[] {
  return Array.from({ length }, (_, i) => of(i))
}
