import { z } from 'zod'
import { numberWords } from '../core/json-number.ts'
import type { AttackReport, ImageRecord } from './records.ts'
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

/** An image's record as JSON keeps it. */
export const storedImage: z.ZodType<ImageRecord> = z.strictObject({
  ...about,
  status: z.enum(['fooled', 'robust', 'skipped', 'failed']),
  queries: count,
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
  files: z.strictObject({ original: text, adversarial: text.optional(), perturbation: text.optional() }).nullable(),
  stopReason: text.nullable(),
  curve: curve.nullable(),
})

const screenedImage = z.pipe(
  z.strictObject({ ...about, standing: z.enum(['attacked', 'skipped', 'failed']), oneHot: z.boolean().optional() }),
  z.transform(({ standing, ...image }): Screened => ({ ...image, status: standing })),
)

/** What screening found, as JSON keeps it. */
export const storedScreening: z.ZodType<Screened[]> = z.array(screenedImage)

/** Screened images as `storedScreening` reads them, fields in its order. */
export function screeningJson(screened: readonly Screened[]): object[] {
  return screened.map(({ index, title, label, predicted, target, reason, modelCalls, status, oneHot }) => {
    return { index, title, label, predicted, target, reason, modelCalls, standing: status, ...(oneHot && { oneHot }) }
  })
}

/** A whole evaluation as JSON keeps it. */
export const storedReport: z.ZodType<AttackReport> = z.strictObject({
  summary: z.strictObject({
    looked: count,
    attacked: count,
    skipped: count,
    failed: count,
    fooled: count,
    cleanAccuracy: number,
    robustAccuracy: number,
    attackSuccessRate: number,
    attackSuccessInterval: z.tuple([number, number]),
    success8bit: number,
    queries: count,
    modelCalls: count,
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
  }),
  images: z.array(storedImage),
  universal: z.strictObject({ curve, queries: count, images: count, modelCalls: count }).nullable(),
  warnings: z.array(text),
})
