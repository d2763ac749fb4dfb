import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { serveRows } from '../../src/app/executors/queue/index.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'

/** The command of a process with workers. */
export const workersCommand = 'queue-workers'

/** Workers in a process of their own. */
export interface WorkersPlan {
  readonly url: string
  /** Whether they are zeroth's, or those of the bare library. */
  readonly kind: 'zeroth' | 'bare'
  readonly count: number
  readonly concurrency: number
  /** Milliseconds that a row takes; 0 for none. */
  readonly delay: number
}

/** The queue of the bare library, and what zeroth's workers serve. */
export const [bareQueue, served] = ['bare', 'bench']

/** Variables of the rows. */
export const dim = 10

/** Starts workers in a process of their own; resolves when they are ready. */
export async function startWorkers(plan: WorkersPlan): Promise<ChildProcess> {
  const args = [process.argv[1] as string, workersCommand, JSON.stringify(plan)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

/** Ends a process with workers. */
export async function endWorkers(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** What such a process does: it says a word when its workers are ready, and works until it is killed. */
export async function work({ url, kind, count, concurrency, delay }: WorkersPlan): Promise<void> {
  const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, delay))
  const objective: Objective = {
    dim,
    evaluate(queries, into) {
      into.values.fill(1, 0, queries.rows)
      return delay === 0 ? undefined : wait()
    },
  }
  for (let i = 0; i < count; i++) {
    if (kind === 'zeroth') await serveRows({ url, serves: served, concurrency, objective })
    else {
      const connection = new Redis(url, { maxRetriesPerRequest: null })
      const worker = new Worker(bareQueue, () => (delay === 0 ? Promise.resolve(1) : wait().then(() => 1)), {
        connection,
        concurrency: concurrency,
      })
      await worker.waitUntilReady()
    }
  }
  process.stdout.write('ready\n')
  setInterval(() => undefined, 60_000)
}
