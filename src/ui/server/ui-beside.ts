import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ZerothError } from '../../index.ts'
import { runsFolder } from '../../work/folders.ts'
import type { WorkEvent } from '../../work/index.ts'
import type { UiOptions } from './start-server.ts'
import type { ThreadData, ThreadStart } from './ui-thread.ts'

/** The page of a work, served by a thread beside the one that performs it. */
export interface UiBeside {
  readonly pageUrl: string
  /** Hands an event over; returns at once. */
  take(event: WorkEvent): void
  close(): Promise<void>
}

/** Serves the page of a work in a thread of its own, with all works beside it where it is in the usual folder. */
export async function startUiBeside(work: string, options: Omit<UiOptions, 'folder'>): Promise<UiBeside> {
  const above = dirname(resolve(work))
  const folder = basename(above) === runsFolder ? above : resolve(work)
  const workerData: ThreadData = { ...options, folder, work: resolve(work) }
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
