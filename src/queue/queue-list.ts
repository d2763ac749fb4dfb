import type { Connection } from './connection.ts'
import { queuesKey } from './queue-place.ts'
import type { Served } from './served.ts'

/**
 * Lists a queue, so that those who look find it; again should the server come back without its data. Returns how to do it once
 * more.
 */
export async function listQueue(
  { client, onReturn }: Connection,
  prefix: string,
  queue: string,
  serves: Served,
): Promise<() => Promise<unknown>> {
  const list = (): Promise<unknown> => client.hset(queuesKey(prefix), queue, JSON.stringify(serves))
  onReturn(() => void list().catch(() => undefined))
  await list()
  return list
}

/** All queues of an installation, with what they serve. */
export async function listedQueues({ client }: Connection, prefix: string): Promise<[queue: string, serves: Served][]> {
  const known = await client.hgetall(queuesKey(prefix))
  return Object.entries(known).map(([queue, text]) => [queue, JSON.parse(text) as Served])
}
