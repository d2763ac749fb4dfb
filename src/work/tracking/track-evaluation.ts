import { basename, join } from 'node:path'
import type { AttackCurve, ImageRecord } from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { className } from '../../datasets/index.ts'
import { imagesCsv } from '../evaluation/attack-files.ts'
import { evaluationStatus, readEvaluation, type StoredAttack } from '../evaluation/status.ts'
import { type Metric, numbersIn, type Place, type Tracked, type TrackedFile, type TrackedPicture } from './tracked.ts'

/** An evaluation for experiment trackers; of one that has not finished, what is known so far. */
export function trackEvaluation(folder: string, place: Place): Tracked {
  const attack = readEvaluation(folder)
  const { record, report, seconds } = attack
  const { summary, images, universal, canaries, noise } = report
  const course = universal === null ? [] : [...curveMetrics(universal.curve, 'universal')]
  const rows = universal?.curve.queries.length ?? 0
  const numbered = numberOf(images)
  return {
    ...place,
    kind: 'evaluation',
    created: record.created,
    state: evaluationStatus(folder).state,
    settings: record.spec,
    facts: { id: record.id, version: record.zeroth, seed: String(record.spec.seed), network: record.model.runtime },
    end: { queries: summary.queries, seconds: seconds ?? 0 },
    results: [...numbersIn({ ...summary, seconds }, 'summary'), ...numbersIn({ canaries, noise }, 'checks')],
    warnings: report.warnings,
    history: () => course,
    thinHistory: async () => ({ metrics: course, rows, iterations: rows }),
    images: images.flatMap((image) => imageMetrics(image, numbered(image))),
    *curves() {
      for (const image of images) if (image.curve !== null) yield* curveMetrics(image.curve, imageName(numbered(image)))
    },
    pictures: images.flatMap((image) => picturesOf(attack, image, imageName(numbered(image)))),
    files: () => filesOf(attack),
  }
}

/** The number that reports call an image by, its place in the data set; where titles are names, its place in the attack. */
function numberOf(images: readonly ImageRecord[]): (image: ImageRecord) => number {
  const titles = new Set(images.map(({ title }) => title))
  const isNumbered = titles.size === images.length && [...titles].every((title) => /^(0|[1-9]\d{0,8})$/.test(title))
  return ({ index, title }) => (isNumbered ? Number(title) : index)
}

function imageName(number: number): string {
  return `image-${String(number).padStart(4, '0')}`
}

function* curveMetrics(curve: AttackCurve, group: string): Generator<Metric, void, void> {
  const { queries, iteration: _, ...columns } = curve
  for (const [i, step] of queries.entries()) {
    for (const [name, values] of Object.entries(columns)) {
      yield { name: `${group}/${name}`, step, value: values[i] as number, seconds: 0 }
    }
  }
}

/** What is known of an image at the end of its attack; the step is its number. */
function imageMetrics({ status, queries, best, saved, success8bit }: ImageRecord, step: number): Metric[] {
  const numbers = {
    queries,
    fooled: status === 'fooled' ? 1 : status === 'robust' ? 0 : undefined,
    success8bit: success8bit === null ? undefined : Number(success8bit),
    bestL2: best?.l2,
    bestLinf: best?.linf,
    savedL2: saved?.l2,
    savedLinf: saved?.linf,
  }
  // Tables of trackers show the last number of each name: the name must not sound like one of the whole attack.
  return numbersIn(numbers, 'per-image').map(([name, value]) => ({ name, step, value, seconds: 0 }))
}

function picturesOf({ folder, record }: StoredAttack, image: ImageRecord, name: string): TrackedPicture[] {
  const { classNames } = record.images
  const named = (number: number | null | undefined): string => String(className(number, classNames) ?? number)
  const seen = image.saved === null ? '' : `, ${named(image.saved.predicted)} in the saved picture`
  const about = `${image.title}: ${image.status}; class ${named(image.label)}, the model sees ${named(image.predicted)}${seen}`
  return Object.entries(image.files ?? {}).flatMap(([kind, file]) =>
    file === undefined ? [] : [{ name: `${name}/${kind}`, file: join(folder, file), about }],
  )
}

function filesOf({ folder, record, report }: StoredAttack): TrackedFile[] {
  const { images, ...rest } = report
  const all = { run: basename(folder), settings: record, ...rest }
  return [
    { name: 'summary.json', content: `${JSON.stringify(jsonSafe(all), null, 2)}\n` },
    { name: 'images.csv', content: imagesCsv(images, record.images.classNames) },
  ]
}
