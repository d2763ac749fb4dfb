import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../core/errors.ts'
import type { WorkEvent } from '../../work/index.ts'
import { startServer, type UiOptions } from './start-server.ts'

/** What the thread says first. */
export type ThreadStart =
  | { readonly url: string; readonly pageUrl: string; readonly error?: undefined }
  | { readonly error: string }

/** What the thread of a run hands over. */
export interface ThreadData extends UiOptions {
  /** The work whose events it gets. */
  readonly work: string
}

const { work, ...options } = workerData as ThreadData
const tell = (start: ThreadStart): void => parentPort?.postMessage(start)
try {
  const server = await startServer(options)
  parentPort?.on('message', (event: WorkEvent) => server.take(work, event))
  tell({ url: server.url, pageUrl: server.urlOf(work) })
} catch (error) {
  tell({ error: messageOf(error) })
  parentPort?.close()
}
