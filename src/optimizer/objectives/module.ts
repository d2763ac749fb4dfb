import { recordFailures } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { count, join, optional, positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Objective } from '../core/types.ts'
import { batchedObjective, checkVariables, functionObjective, takingPoint, takingPoints } from './function.ts'
import { loadFunction, moduleOptions, moduleUrl } from './workers/load-function.ts'

/** A function of a JavaScript module, imported when it is first asked and called as one given directly would be. */
export const moduleObjective = definePart({
  kind: 'objective',
  name: 'module',
  summary: 'A function exported by a JavaScript module, called in this thread.',
  options: join(
    moduleOptions,
    table({
      /** Points per call of a batched function at most; all if left out. At least 1. */
      batchSize: optional(count),
      /** Calls of an asynchronous function under way at once. At least 1. */
      concurrency: optional(count),
      /** Milliseconds after which an asynchronous call counts as failed. Above 0. */
      timeout: optional(positive),
    }),
  ),
  examples: (dim) => [
    { dim, module: 'data:text/javascript,export default (x) => x.reduce((sum, v) => sum + v * v, 0)' },
    {
      dim,
      module: 'data:text/javascript,export const f = (xs) => xs.map((x) => x.reduce((sum, v) => sum + v * v, 0))',
      export: 'f',
      batched: true,
    },
  ],
  make: ({ dim, variables, module, export: name, data, batched, batchSize, concurrency, timeout }): Objective => {
    refuseUseless(batched, batchSize, concurrency)
    checkVariables('module', variables, dim)
    const source = { url: moduleUrl(module), export: name, data }
    let loading: Promise<void> | undefined
    let loaded: Objective | undefined

    const load = async (): Promise<void> => {
      const f = await loadFunction(source)
      loaded = batched
        ? batchedObjective(takingPoints(f, variables), { dim, batchSize, timeout })
        : functionObjective(takingPoint(f, variables), { dim, concurrency, timeout })
    }

    return {
      dim,
      evaluate(queries, into, signal) {
        if (loaded !== undefined) return loaded.evaluate(queries, into, signal)
        loading ??= load()
        return loading.then(
          () => loaded?.evaluate(queries, into, signal),
          (error: unknown) => {
            // The next query tries again: the file may be there by then.
            loading = undefined
            recordFailures(into, 0, queries.rows, error)
          },
        )
      },
    }
  },
})

/** Options that would do nothing are mistakes worth saying. */
function refuseUseless(batched: boolean, batchSize: number | undefined, concurrency: number | undefined): void {
  if (!batched && batchSize !== undefined) {
    throw new ZerothError('invalid-option', 'module.batchSize does nothing without batched: true')
  }
  if (batched && concurrency !== undefined) {
    throw new ZerothError(
      'invalid-option',
      'module.concurrency does nothing with batched: true: batches follow each other',
    )
  }
}
