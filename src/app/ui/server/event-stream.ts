import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Message } from '../api.ts'

/** How much a stream keeps and how much it takes. */
export interface StreamLimits {
  /** Events that a client can have missed. */
  readonly ringEvents: number
  readonly ringBytes: number
  /** Bytes that may wait for a client before it is dropped. */
  readonly waiting: number
  readonly clients: number
  /** Milliseconds after which a stream may be ended for another client. */
  readonly lasting: number
  /** Milliseconds between two signs of life. */
  readonly beat: number
}

const usual: StreamLimits = {
  ...{ ringEvents: 1000, ringBytes: 1 << 20, waiting: 1 << 16, clients: 200, lasting: 30_000, beat: 15_000 },
}

interface Kept {
  readonly number: number
  readonly bytes: Buffer
}

/**
 * Tells all clients what happens, by server-sent events. An event becomes bytes once, however many clients there are; one
 * that does not read is dropped, and gets what it missed when it comes back, or is told to begin anew.
 */
export class EventStream {
  readonly #limits: StreamLimits
  /** Numbers of an earlier server mean nothing to this one. */
  readonly #start = randomBytes(6).toString('hex')
  /** The oldest first, and when each began. */
  readonly #clients = new Map<ServerResponse, number>()
  readonly #ring: Kept[] = []
  readonly #timer: NodeJS.Timeout
  #ringBytes = 0
  #number = 0

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...usual, ...limits }
    // Scripts do not see comments, so that a beat is an event.
    this.#timer = setInterval(() => this.#write(Buffer.from('event: beat\ndata:\n\n')), this.#limits.beat)
    this.#timer.unref()
  }

  get clients(): number {
    return this.#clients.size
  }

  /**
   * Whether there is room for another client. If not, a stream is ended to make some: one that does not read, or the oldest.
   * Whoever still listens there comes back at once and misses nothing; who has gone without a word does not.
   */
  makeRoom(): boolean {
    if (this.#clients.size < this.#limits.clients) return true
    const [oldest] = this.#clients
    const idle = [...this.#clients].find(([client]) => client.writableLength > 0) ?? oldest
    if (idle === undefined || performance.now() - idle[1] < this.#limits.lasting) return false
    this.#clients.delete(idle[0])
    idle[0].end()
    return true
  }

  publish(message: Message): void {
    const number = ++this.#number
    const bytes = Buffer.from(`id: ${this.#start}-${number}\ndata: ${JSON.stringify(message)}\n\n`)
    this.#ring.push({ number, bytes })
    this.#ringBytes += bytes.length
    while (this.#ring.length > this.#limits.ringEvents || this.#ringBytes > this.#limits.ringBytes) {
      this.#ringBytes -= this.#ring.shift()?.bytes.length ?? 0
    }
    this.#write(bytes)
  }

  /** Adds a client, which has had everything up to an id; without one it has just asked for all there is. */
  add(response: ServerResponse, after: string | undefined): void {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    // The first bytes leave at once: proxies wait for them.
    response.write(`retry: 1000\nid: ${this.#start}-${this.#number}\nevent: beat\ndata:\n\n`)
    for (const bytes of this.#missed(after)) response.write(bytes)
    this.#clients.set(response, performance.now())
    response.on('close', () => this.#clients.delete(response))
    response.on('error', () => this.#clients.delete(response))
  }

  close(): void {
    clearInterval(this.#timer)
    for (const client of this.#clients.keys()) client.end()
    this.#clients.clear()
  }

  #missed(after: string | undefined): Buffer[] {
    if (after === undefined) return []
    const [, start, text] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(after) ?? []
    const last = Number(text)
    const oldest = this.#ring[0]?.number ?? this.#number + 1
    if (start !== this.#start || last > this.#number || last < oldest - 1)
      return [Buffer.from('event: reset\ndata:\n\n')]
    return this.#ring.filter(({ number }) => number > last).map(({ bytes }) => bytes)
  }

  #write(bytes: Buffer): void {
    for (const client of this.#clients.keys()) {
      if (client.writableLength > this.#limits.waiting) {
        this.#clients.delete(client)
        client.destroy()
      } else client.write(bytes)
    }
  }
}
