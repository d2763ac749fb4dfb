import { hrtime } from 'node:process'
import { threadId } from 'node:worker_threads'
import { Tinypool } from 'tinypool'
import { makeAnswers } from '../../core/answers.ts'
import { messageOf } from '../../core/errors.ts'
import type { Objective } from '../../core/types.ts'
import type { Variables } from '../../core/variable-types.ts'
import { makeVariables } from '../../core/variables.ts'
import { batchedObjective, functionObjective, takingPoint, takingPoints } from '../function.ts'
import { loadFunction, type ModuleSource } from './load-function.ts'
import { queriesOf, type SharedRows } from './shared-rows.ts'

/** What a thread is told when it starts. */
export interface ThreadData extends ModuleSource {
  readonly dim: number
  /** As they were declared: functions do not go from thread to thread. */
  readonly variables: Variables | undefined
  readonly batched: boolean
}

/** Rows that a thread is to answer. */
export interface Task {
  readonly rows: SharedRows
  readonly first: number
  readonly count: number
  readonly iteration: number
}

/** Why something failed. Errors lose what they are on their way between threads. */
export interface Reason {
  readonly message: string
  /** Where it was thrown, if it was. */
  readonly stack?: string | undefined
}

/** What cannot be written into shared memory: why rows failed, or why none can ever be answered. */
export interface TaskReply {
  readonly reasons: readonly (Reason | undefined)[]
  readonly unusable?: Reason
}

let loading: Promise<Objective> | undefined

/** Answers some rows; the thread's first task also loads the module. */
export async function answerRows({ rows, first, count, iteration }: Task): Promise<TaskReply> {
  Atomics.store(rows.threads, first, threadId)
  let objective: Objective
  try {
    loading ??= load(Tinypool.workerData as ThreadData)
    objective = await loading
  } catch (error) {
    return { reasons: [], unusable: { message: messageOf(error), stack: stackOf((error as Error).cause) } }
  }
  const answers = makeAnswers(count)
  rows.began[first] = Number(hrtime.bigint()) / 1e6
  await objective.evaluate(queriesOf(rows, first, count, iteration), answers)
  rows.values.set(answers.values, first)
  rows.failed.set(answers.failed, first)
  return { reasons: answers.reasons.map(reasonOf) }
}

async function load(data: ThreadData): Promise<Objective> {
  const f = await loadFunction(data)
  const { dim } = data
  const variables = data.variables && makeVariables(data.variables)
  return data.batched
    ? batchedObjective(takingPoints(f, variables), { dim })
    : functionObjective(takingPoint(f, variables), { dim })
}

function reasonOf(reason: unknown): Reason | undefined {
  if (reason === undefined) return undefined
  if (typeof reason === 'string') return { message: reason }
  return { message: `threw: ${messageOf(reason)}`, stack: stackOf(reason) }
}

function stackOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.stack : undefined
}
