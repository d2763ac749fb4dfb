import { httpObjective } from '../../src/app/objectives/http.ts'
import { openInferenceObjective } from '../../src/app/objectives/open-inference.ts'
import type { Objective } from '../../src/index.ts'
import { minimize, type Result } from '../../src/optimizer/minimize/minimize.ts'
import { limited } from '../../src/optimizer/wrappers/limits.ts'
import { retried } from '../../src/optimizer/wrappers/retried.ts'
import { type FaultCounts, startFaultProxy } from './fault-proxy.ts'
import { startJsonObjectiveServer } from './json-objective-server.ts'
import { startOpenInferenceServer } from './open-inference-server.ts'
import type { TestServer } from './server.ts'

/** The same run twice: on the plain function, and on a service behind a flaky network. */
export interface FlakyRun {
  readonly plain: Result
  readonly flaky: Result
  readonly faults: FaultCounts
  /** Requests that the network saw, retries included. */
  readonly requests: number
}

const dim = 6
const start = [3, -2, 1, 0, -1, 2]
const bowl = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, v, i) => sum + (v - i / 7) * (v - i / 7) * (1 + i / 3), 0.1)

/** How often each row is asked at most: with 35 % faults, 30 times in a row would be one run in 10^13. */
const patience = { attempts: 30, delay: 1, factor: 1.5, maxDelay: 50, jitter: 0.5 }

/** Runs through the fault proxy, with short time-outs, retries and eight rows at once. */
export async function flakyRun(kind: 'http' | 'open-inference', maxQueries: number, seed: number): Promise<FlakyRun> {
  const service = await (kind === 'http' ? startJsonObjectiveServer(bowl) : startModel())
  const proxy = await startFaultProxy(service.url, seed)
  // Short, because hangs are waited for; long enough that a busy machine reads a request before it is given up.
  const how = { dim, url: proxy.url, timeout: 400 }
  const bare: Objective = kind === 'http' ? httpObjective(how) : openInferenceObjective({ ...how, model: 'bowl' })
  const objective = limited(retried(bare, patience), { concurrency: 8 })
  try {
    const plain = await minimize((x) => bowl(x), start, { maxQueries, seed })
    const flaky = await minimize(objective, start, { maxQueries, seed })
    return { plain, flaky, faults: { ...proxy.counts }, requests: proxy.requests.length }
  } finally {
    await objective.close?.()
    await Promise.all([proxy.close(), service.close()])
  }
}

function startModel(): Promise<TestServer> {
  const bowlModel = {
    inputs: [{ name: 'x', datatype: 'FP64', shape: [-1, dim] }],
    outputs: [{ name: 'y', datatype: 'FP64', shape: [-1] }],
    infer: ([x]: readonly { readonly shape: readonly number[]; readonly data: readonly number[] }[]) => {
      const rows = x?.shape[0] ?? 0
      const data = Array.from({ length: rows }, (_, i) => bowl(x?.data.slice(i * dim, (i + 1) * dim) ?? []))
      return [{ name: 'y', datatype: 'FP64', shape: [rows], data }]
    },
  }
  return startOpenInferenceServer({ bowl: bowlModel })
}
