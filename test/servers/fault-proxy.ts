import { request as forward, type ServerResponse } from 'node:http'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { type Received, send, startServer, type TestServer } from './server.ts'

/** What a proxy did to the requests that came through. */
export interface FaultCounts {
  passed: number
  serverErrors: number
  tooMany: number
  resets: number
  hangs: number
  truncated: number
}

/** A server that passes requests on, unless it plays one of its tricks. */
export interface FaultProxy extends TestServer {
  readonly counts: FaultCounts
}

/** Told which fault of its kind it is. */
type Trick = (target: URL, request: Received, reply: ServerResponse, time: number) => unknown

/** Shares of the requests that meet each fault; the rest passes. */
const shares: readonly (readonly [keyof FaultCounts, number])[] = [
  ['serverErrors', 0.1],
  ['tooMany', 0.1],
  ['resets', 0.05],
  ['hangs', 0.05],
  ['truncated', 0.05],
]

/** A flaky way to a server: the faults are a function of the seed and of how many requests came before. */
export async function startFaultProxy(upstream: string, seed: number): Promise<FaultProxy> {
  const target = new URL(upstream)
  const counts: FaultCounts = { passed: 0, serverErrors: 0, tooMany: 0, resets: 0, hangs: 0, truncated: 0 }
  let count = 0
  const server = await startServer((request, reply) => {
    const kind = chosen(uniform(seed, count++))
    counts[kind]++
    return tricks[kind](target, request, reply, counts[kind])
  })
  return { ...server, counts }
}

function chosen(uniform: number): keyof FaultCounts {
  let limit = 0
  for (const [kind, share] of shares) {
    limit += share
    if (uniform < limit) return kind
  }
  return 'passed'
}

const tricks: Readonly<Record<keyof FaultCounts, Trick>> = {
  passed: async (target, request, reply) => {
    const { status, type, body } = await fetched(target, request)
    send(reply, status, body, type)
  },
  serverErrors: (_, __, reply, time) => send(reply, [500, 502, 503][time % 3] as number, 'something broke'),
  // HTTP knows nothing shorter than a second: once is all that a quick test can wait for.
  tooMany: (_, __, reply, time) => send(reply, 429, 'slow down', { 'retry-after': time === 5 ? '1' : '0' }),
  resets: (_, __, reply) => void reply.socket?.resetAndDestroy(),
  hangs: () => undefined,
  truncated: async (target, request, reply) => {
    const { status, type, body } = await fetched(target, request)
    reply.writeHead(status, { ...type, 'content-length': body.length })
    reply.write(body.subarray(0, Math.floor(body.length / 2)), () => reply.destroy())
  },
}

interface Fetched {
  readonly status: number
  readonly type: Record<string, string>
  readonly body: Buffer
}

function fetched(target: URL, { method, path, headers, body }: Received): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    const passing = forward({ hostname: target.hostname, port: target.port, method, path, headers }, async (answer) => {
      const pieces: Buffer[] = []
      for await (const piece of answer) pieces.push(piece as Buffer)
      const kept = ['content-type', 'inference-header-content-length'].filter((name) => name in answer.headers)
      const type = Object.fromEntries(kept.map((name) => [name, String(answer.headers[name])]))
      resolve({ status: answer.statusCode ?? 0, type, body: Buffer.concat(pieces) })
    })
    passing.on('error', reject)
    passing.end(body)
  })
}

function uniform(seed: number, index: number): number {
  return randomUniform({ seed, iteration: index, row: 0 }, 'noise', 0)
}
