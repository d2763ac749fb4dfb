import { recordFailure, recordValue } from '../core/answers.ts'
import { show, ZerothError } from '../core/errors.ts'
import { originalRow } from '../core/some-rows.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { checkModel, type Model } from './model.ts'

/** What a loss is told beside the scores. */
export interface LossContext {
  readonly row: number
  readonly iteration: number
  readonly sample: number
}

/** A number to make small, from the scores of one image. The next call reuses the scores. */
export type Loss = (scores: Float64Array, context: LossContext) => number

/**
 * A loss of a classifier's scores as a black box: the rows of an iteration are images, classified in one go. The caller
 * that opened the model closes it.
 */
export function classifierObjective(model: Model, loss: Loss): Objective {
  checkModel(model, 'classifierObjective')
  if (typeof loss !== 'function') {
    throw new ZerothError(
      'invalid-objective',
      `classifierObjective: the loss must be a function of the scores of an image, got ${show(loss)}`,
    )
  }
  const { channels, height, width } = model.shape
  const { classes } = model
  let idle: Float64Array = new Float64Array(0)

  /** Records the loss of every image that has scores; the others failed for the reason given. */
  const record = (queries: Queries, into: Answers, scores: Float64Array, reason?: unknown): void => {
    for (let row = 0; row < queries.rows; row++) {
      const own = scores.subarray(row * classes, (row + 1) * classes)
      try {
        if (reason !== undefined && own.some(Number.isNaN)) recordFailure(into, row, reason)
        else recordValue(into, row, loss(own, contextOf(queries, row)))
      } catch (error) {
        recordFailure(into, row, error)
      }
    }
    idle = scores
  }

  return {
    dim: channels * height * width,
    evaluate(queries, into, signal): void | Promise<void> {
      // Taken while in use: two evaluations under way at once must not share it.
      const scores = idle.length >= queries.rows * classes ? idle : new Float64Array(queries.rows * classes)
      idle = new Float64Array(0)
      scores.fill(Number.NaN)
      const fail = (error: unknown): void => {
        if (signal?.aborted !== true) record(queries, into, scores, error)
      }
      try {
        const work = model.predict(queries, scores, signal)
        if (work !== undefined) return work.then(() => record(queries, into, scores), fail)
        record(queries, into, scores)
      } catch (error) {
        fail(error)
      }
      return undefined
    },
  }
}

function contextOf(queries: Queries, row: number): LossContext {
  return { row: originalRow(queries, row), iteration: queries.key.iteration, sample: queries.sample(row) }
}
