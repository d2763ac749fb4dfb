import type { Begin, Vector } from '../core/types.ts'
import type { Batch, Stage, StagedMethod } from './staged-search.ts'

/**
 * A method without constraints for a convex set: it minimises x -> f(P(x)), which has the same minimum. All rows lie in the
 * set, and so does the point. The method's own memory must hold its own point.
 */
export function throughProjection(at: Begin, method: StagedMethod, enter: (x: Vector) => void): StagedMethod {
  const { kernels, dim, precision } = at
  const row = kernels.allocate(dim, precision)
  const point = kernels.allocate(dim, precision)
  const inside = (batch: Batch): Batch => ({
    rows: batch.rows,
    write(index, into, offset) {
      batch.write(index, row, 0)
      enter(row)
      into.set(row, offset)
    },
  })
  function* projected(stage: Stage): Stage {
    let next = stage.next()
    while (next.done !== true) next = stage.next(yield inside(next.value))
    return next.value
  }
  const stages = Object.entries(method.stages).map(([name, stage]) => [
    name,
    (key: Parameters<typeof stage>[0]) => projected(stage(key)),
  ])
  return {
    get point() {
      point.set(method.point)
      enter(point)
      return point
    },
    get memory() {
      return method.memory
    },
    get noisy() {
      return method.noisy
    },
    stages: Object.fromEntries(stages),
  }
}
