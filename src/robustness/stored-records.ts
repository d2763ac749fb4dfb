import { storedNumber as number } from '../optimizer/core/exact-json.ts'
import {
  flag,
  Issue,
  integerFrom,
  listOf,
  nullable,
  numberWithin,
  oneOf,
  optional,
  recordOf,
  type Type,
  table,
  text,
  tuple,
  withDefault,
} from '../optimizer/core/options.ts'
import { type AttackReport, type ImageRecord, type NoiseRecord, noConfirmations } from './records.ts'
import type { ScreenedImage } from './screening.ts'

const count = integerFrom(0)
const integer = numberWithin({}, true)
const numbers = listOf(number)
const distortion = { l2sq: number, l2: number, linf: number }
const meanMedian = table({ mean: number, median: number })

const point = table({
  ...distortion,
  iteration: count,
  queries: count,
  margin: number,
  predicted: integer,
  fooled: flag,
})

const curve = table({
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
  label: nullable(integer),
  predicted: nullable(integer),
  target: nullable(integer),
  reason: nullable(text),
  modelCalls: count,
}

const statuses = oneOf('fooled', 'robust', 'skipped', 'failed', 'unfinished', 'unconfirmed')
const limit = { linf: optional(number), l2: optional(number) }

const confirmations = table({ successes: count, contradicted: count, clean: count, changed: count })

const limitRecord = table({
  ...limit,
  status: statuses,
  from: oneOf('attack', 'larger success', 'larger limit'),
  queries: count,
  success: nullable(point),
})

const limitSummary = table({
  ...limit,
  robustAccuracy: number,
  robustAccuracyInterval: tuple(number, number),
  fooled: count,
  robust: count,
  unmeasured: count,
  queries: count,
})

/** What probing for noise has found, as JSON keeps it. */
export const storedNoise: Type<NoiseRecord> = table({
  share: number,
  again: number,
  length: number,
  option: text,
  probe: optional(number),
  asked: count,
  failedQueries: count,
  retries: count,
})

/** An image's record as JSON keeps it. */
export const storedImage: Type<ImageRecord> = table({
  ...about,
  status: statuses,
  queries: count,
  confirmations: optional(confirmations),
  failedQueries: count,
  retries: count,
  first: nullable(point),
  best: nullable(point),
  final: nullable(point),
  success8bit: nullable(flag),
  saved: nullable(
    table({ ...distortion, predicted: integer, from: oneOf('best', 'final', 'first'), stretch: optional(number) }),
  ),
  methods: optional(listOf(table({ method: text, queries: count, fooled: flag, isSecond: optional(flag) }))),
  isFlat: optional(flag),
  files: nullable(table({ original: text, adversarial: optional(text), perturbation: optional(text) })),
  pictureHashes: optional(recordOf(text)),
  stopReason: nullable(text),
  curve: nullable(curve),
  limits: optional(listOf(limitRecord)),
})

/** What screening found, as JSON keeps it. */
export const storedScreening: Type<ScreenedImage[]> = listOf(
  table({
    ...about,
    status: oneOf('attacked', 'skipped', 'failed'),
    failedQueries: optional(count),
    retries: optional(count),
    scores: optional(numbers),
    seen: optional(tuple(number, number)),
    scoresAre: optional(oneOf('probabilities', 'saturated')),
    oneHot: optional(flag),
  }),
)

/** Reads a record; throws an error that names the field if it is none. */
export function parseStored<Content>(of: Type<Content>, value: unknown): Content {
  const found = of.read(value)
  if (found instanceof Issue) throw new Error(`${found.path.join('.')} ${found.text}`)
  return found
}

/** A whole evaluation as JSON keeps it. */
export const storedReport: Type<AttackReport> = table({
  summary: table({
    looked: count,
    methods: optional(listOf(text)),
    meaning: optional(text),
    scores: optional(oneOf('logits', 'probabilities', 'labels')),
    attacked: count,
    skipped: count,
    failed: count,
    unfinished: count,
    unfinishedFooled: count,
    // Reports that are kept from before successes were confirmed have neither this nor `confirmations`.
    unconfirmed: withDefault(count, 0),
    fooled: count,
    cleanAccuracy: number,
    robustAccuracy: number,
    robustAccuracyBounds: optional(tuple(number, number)),
    attackSuccessRate: number,
    attackSuccessInterval: tuple(number, number),
    success8bit: number,
    queries: count,
    confirmations: withDefault(confirmations, () => noConfirmations),
    modelCalls: count,
    failedQueries: count,
    retries: count,
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
    limits: optional(listOf(limitSummary)),
  }),
  images: listOf(storedImage),
  universal: nullable(
    table({
      curve,
      queries: count,
      images: count,
      confirmations: optional(confirmations),
      modelCalls: count,
      failedQueries: optional(count),
      retries: optional(count),
    }),
  ),
  canaries: optional(nullable(table({ asked: count, changed: count, unanswered: count, reason: nullable(text) }))),
  noise: optional(nullable(storedNoise)),
  warnings: listOf(text),
})
