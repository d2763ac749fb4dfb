import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ZerothError } from '../../../index.ts'
import { runsFolder } from '../../jobs/folders.ts'
import type { JobEvent } from '../../jobs/index.ts'
import type { UiOptions } from './start-server.ts'
import type { ThreadData, ThreadStart } from './ui-thread.ts'

/** The page of a job, served by a thread beside the one that performs it. */
export interface UiBeside {
  readonly pageUrl: string
  /** Hands an event over; returns at once. */
  take(event: JobEvent): void
  close(): Promise<void>
}

/** Serves the page of a job in a thread of its own, with all jobs beside it if it is in the usual folder. */
export async function startUiBeside(job: string, options: Omit<UiOptions, 'folder'>): Promise<UiBeside> {
  const above = dirname(resolve(job))
  const folder = basename(above) === runsFolder ? above : resolve(job)
  const workerData: ThreadData = { ...options, folder, job: resolve(job) }
  const thread = new Worker(fileURLToPath(new URL('./ui-thread.js', import.meta.url)), { workerData })
  // A page must not keep a program that has ended.
  thread.unref()
  const start = await new Promise<ThreadStart>((done, fail) => {
    thread.once('message', done)
    thread.once('error', fail)
  })
  if (start.error !== undefined) {
    await thread.terminate()
    throw new ZerothError('invalid-option', start.error)
  }
  // A page that fails is no reason to lose a run.
  thread.on('error', () => undefined)
  return {
    pageUrl: start.pageUrl,
    take: (event) => thread.postMessage(event),
    async close() {
      await thread.terminate()
    },
  }
}
