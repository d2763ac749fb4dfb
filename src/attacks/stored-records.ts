import { z } from 'zod'
import { numberWords } from '../core/json-number.ts'
import type { AttackReport, ImageRecord, NoiseRecord } from './records.ts'
import type { Screened } from './screening.ts'

const number = z.union([z.number(), z.enum(numberWords).transform(Number)])
const count = z.int().min(0)
const text = z.string()
const distortion = { l2sq: number, l2: number, linf: number }
const meanMedian = z.strictObject({ mean: number, median: number })

const point = z.strictObject({
  ...distortion,
  iteration: count,
  queries: count,
  margin: number,
  predicted: z.int(),
  fooled: z.boolean(),
})

const numbers = z.array(number)

const curve = z.strictObject({
  iteration: numbers,
  queries: numbers,
  loss: numbers,
  l2sq: numbers,
  linf: numbers,
  fooled: numbers,
})

const about = {
  index: count,
  title: text,
  label: z.int().nullable(),
  predicted: z.int().nullable(),
  target: z.int().nullable(),
  reason: text.nullable(),
  modelCalls: count,
}

/** Counts that records of earlier versions do not have. */
const sinceThen = count.default(0)

const statuses = z.enum(['fooled', 'robust', 'skipped', 'failed', 'unfinished'])
const limit = { linf: number.optional(), l2: number.optional() }

const limitRecord = z.strictObject({
  ...limit,
  status: statuses,
  from: z.enum(['attack', 'larger success', 'larger limit']),
  queries: count,
  success: point.nullable(),
})

const limitSummary = z.strictObject({
  ...limit,
  robustAccuracy: number,
  robustAccuracyInterval: z.tuple([number, number]),
  fooled: count,
  robust: count,
  unmeasured: count,
  queries: count,
})

/** What probing for noise has found, as JSON keeps it. */
export const storedNoise: z.ZodType<NoiseRecord> = z.strictObject({
  share: number,
  again: number,
  length: number,
  option: text,
  probe: number.optional(),
  asked: count,
  failedQueries: count,
  retries: count,
})

/** An image's record as JSON keeps it. */
export const storedImage: z.ZodType<ImageRecord> = z.strictObject({
  ...about,
  status: statuses,
  queries: count,
  failedQueries: sinceThen,
  retries: sinceThen,
  first: point.nullable(),
  best: point.nullable(),
  final: point.nullable(),
  success8bit: z.boolean().nullable(),
  saved: z
    .strictObject({
      ...distortion,
      predicted: z.int(),
      from: z.enum(['best', 'final', 'first']),
      stretch: number.optional(),
    })
    .nullable(),
  methods: z
    .array(z.strictObject({ method: text, queries: count, fooled: z.boolean(), isSecond: z.boolean().optional() }))
    .optional(),
  isFlat: z.boolean().optional(),
  files: z.strictObject({ original: text, adversarial: text.optional(), perturbation: text.optional() }).nullable(),
  stopReason: text.nullable(),
  curve: curve.nullable(),
  limits: z.array(limitRecord).optional(),
})

const screenedImage = z.pipe(
  z.strictObject({
    ...about,
    standing: z.enum(['attacked', 'skipped', 'failed']),
    failedQueries: count.optional(),
    retries: count.optional(),
    scores: numbers.optional(),
    scoresAre: z.enum(['probabilities', 'saturated']).optional(),
    oneHot: z.boolean().optional(),
  }),
  z.transform(({ standing, ...image }): Screened => ({ ...image, status: standing })),
)

/** What screening found, as JSON keeps it. */
export const storedScreening: z.ZodType<Screened[]> = z.array(screenedImage)

/** Screened images as `storedScreening` reads them, fields in its order. */
export function screeningJson(screened: readonly Screened[]): object[] {
  return screened.map(({ status, failedQueries, retries, scores, scoresAre, oneHot, ...about }) => {
    const { index, title, label, predicted, target, reason, modelCalls } = about
    const known = { index, title, label, predicted, target, reason, modelCalls, standing: status }
    return {
      ...known,
      ...(failedQueries === undefined ? {} : { failedQueries }),
      ...(retries === undefined ? {} : { retries }),
      ...(scores === undefined ? {} : { scores }),
      ...(scoresAre === undefined ? {} : { scoresAre }),
      ...(oneHot === undefined ? {} : { oneHot }),
    }
  })
}

/** A whole evaluation as JSON keeps it. */
export const storedReport: z.ZodType<AttackReport> = z.strictObject({
  summary: z.strictObject({
    looked: count,
    methods: z.array(text).optional(),
    meaning: text.optional(),
    scores: z.enum(['logits', 'probabilities', 'labels']).optional(),
    attacked: count,
    skipped: count,
    failed: count,
    unfinished: sinceThen,
    unfinishedFooled: sinceThen,
    fooled: count,
    cleanAccuracy: number,
    robustAccuracy: number,
    robustAccuracyBounds: z.tuple([number, number]).optional(),
    attackSuccessRate: number,
    attackSuccessInterval: z.tuple([number, number]),
    success8bit: number,
    queries: count,
    modelCalls: count,
    failedQueries: sinceThen,
    retries: sinceThen,
    firstSuccessIterations: meanMedian,
    firstSuccessQueries: meanMedian,
    firstSuccessL2sq: meanMedian,
    firstSuccessL2: meanMedian,
    firstSuccessLinf: meanMedian,
    bestL2sq: meanMedian,
    bestL2: meanMedian,
    bestLinf: meanMedian,
    finalL2sq: meanMedian,
    finalL2: meanMedian,
    finalLinf: meanMedian,
    kept: number,
    finalObjective: meanMedian,
    limits: z.array(limitSummary).optional(),
  }),
  images: z.array(storedImage),
  universal: z
    .strictObject({
      curve,
      queries: count,
      images: count,
      modelCalls: count,
      failedQueries: count.optional(),
      retries: count.optional(),
    })
    .nullable(),
  canaries: z.strictObject({ asked: count, changed: count, unanswered: count, reason: text.nullable() }).nullish(),
  noise: storedNoise.nullish(),
  warnings: z.array(text),
})
