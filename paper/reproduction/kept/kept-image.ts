import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../../src/index.ts'
import { type AttackPoint, type ImageRecord, parseStored, storedImage } from '../../../src/robustness/index.ts'
import { shortCourse } from '../tables/measures.ts'

/** The iterations at which the course of every image of an attack is kept, and the queries asked by then. */
export interface KeptCourse {
  readonly iteration: readonly number[]
  readonly queries: readonly number[]
}

/** Columns of images as they are kept; a record without them cannot be read. */
export const imageColumns = [
  ...['index', 'title', 'label', 'predicted', 'status', 'reason', 'queries', 'modelCalls', 'failedQueries', 'retries'],
  ...[
    'success8bit',
    'isFlat',
    'stopReason',
    'methods',
    'first',
    'best',
    'final',
    'saved',
    'loss',
    'l2sq',
    'linf',
    'fooled',
  ],
  'confirmations',
] as const

/** Columns without the last one, of attacks that were kept before successes were confirmed. */
export const olderColumns: readonly string[] = imageColumns.slice(0, -1)

/** What stands in a column: points as lists of numbers, and the course as a list for each measure. */
export type KeptImage = readonly unknown[]

const pointFields = ['iteration', 'queries', 'l2sq', 'linf', 'margin', 'predicted', 'fooled'] as const
const courseFields = ['loss', 'l2sq', 'linf', 'fooled'] as const

/** An image as it is kept; one that could not be read back to the bit is refused. */
export function keptImage(image: ImageRecord, course: KeptCourse | undefined): KeptImage {
  const { curve, methods, saved } = image
  const short = curve === null ? null : shortCourse(curve)
  const values: Record<string, unknown> = {
    ...image,
    methods: methods?.map(({ method, queries, fooled }) => [method, queries, fooled]),
    first: pointList(image.first),
    // What is the same is not written twice.
    best: isDeepStrictEqual(image.best, image.first) ? 'first' : pointList(image.best),
    final: pointList(image.final),
    saved:
      saved &&
      [saved.predicted, saved.l2sq, saved.linf, saved.from, saved.stretch].filter((each) => each !== undefined),
    ...Object.fromEntries(courseFields.map((field) => [field, short?.[field] ?? null])),
  }
  const kept = imageColumns.map((column) => values[column] ?? null)
  // Pictures are not kept, and so are not their hashes.
  const { pictureHashes: _, ...record } = image
  const meant = { ...record, files: null, curve: short }
  if (isDeepStrictEqual(readKeptImage(kept, course), meant)) return kept
  throw new ZerothError('invalid-run', `image ${image.index} (${image.title}) has more to it than can be kept`)
}

/** Reads what `keptImage` wrote. */
export function readKeptImage(kept: KeptImage, course: KeptCourse | undefined): ImageRecord {
  const values = Object.fromEntries(imageColumns.map((column, i) => [column, kept[i] ?? null]))
  const { isFlat, methods, saved, loss, l2sq, linf, fooled, confirmations, ...rest } = values
  const first = pointOf(values.first)
  const curve = loss === null ? null : { ...course, loss, l2sq, linf, fooled }
  const record = {
    ...rest,
    target: null,
    first,
    best: values.best === 'first' ? first : pointOf(values.best),
    final: pointOf(values.final),
    saved: Array.isArray(saved) ? savedOf(saved) : null,
    ...(isFlat === null ? {} : { isFlat }),
    ...(confirmations === null ? {} : { confirmations }),
    ...(Array.isArray(methods) ? { methods: methods.map(methodOf) } : {}),
    files: null,
    curve,
  }
  return parseStored(storedImage, record)
}

function pointList(point: AttackPoint | null): unknown[] | null {
  return point && pointFields.map((field) => point[field])
}

function pointOf(list: unknown): object | null {
  if (!Array.isArray(list)) return null
  const fields = Object.fromEntries(pointFields.map((field, i) => [field, list[i]]))
  return { ...fields, l2: Math.sqrt(fields.l2sq) }
}

function savedOf([predicted, l2sq, linf, from, stretch]: readonly unknown[]): object {
  return { predicted, l2sq, l2: Math.sqrt(l2sq as number), linf, from, ...(stretch === undefined ? {} : { stretch }) }
}

function methodOf([method, queries, fooled]: readonly unknown[]): object {
  return { method, queries, fooled }
}
