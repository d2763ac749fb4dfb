import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../../optimizer/core/errors.ts'
import type { JobEvent } from '../../jobs/index.ts'
import { startServer, type UiOptions } from './start-server.ts'

/** What the thread says first. */
export type ThreadStart =
  | { readonly url: string; readonly pageUrl: string; readonly error?: undefined }
  | { readonly error: string }

/** What the thread of a run hands over. */
export interface ThreadData extends UiOptions {
  /** The job whose events it gets. */
  readonly job: string
}

const { job, ...options } = workerData as ThreadData
const tell = (start: ThreadStart): void => parentPort?.postMessage(start)
try {
  const server = await startServer(options)
  parentPort?.on('message', (event: JobEvent) => server.take(job, event))
  tell({ url: server.url, pageUrl: server.urlOf(job) })
} catch (error) {
  tell({ error: messageOf(error) })
  parentPort?.close()
}
