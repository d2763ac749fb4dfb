import { createHash } from 'node:crypto'
import { send, startServer, type TestServer } from './server.ts'

/** A request and what was answered; bodies that are no JSON by their SHA-256. */
export interface Exchange {
  readonly request: string
  readonly body: unknown
  readonly status: number
  readonly reply: unknown
}

/** Hands every request on to another server and notes both sides. */
export async function recordingServer(to: string, exchanges: Exchange[]): Promise<TestServer> {
  return startServer(async ({ method, path, headers, body }, reply) => {
    const type = headers['content-type'] ?? ''
    const content = method === 'GET' ? {} : { body: new Uint8Array(body) }
    const answer = await fetch(`${to}${path}`, { method, headers: { 'content-type': type }, ...content })
    const text = await answer.text()
    exchanges.push({ request: `${method} ${path}`, body: shown(body), status: answer.status, reply: shown(text) })
    send(reply, answer.status, text)
  })
}

/** Answers as was noted; a request that was not the next one is an error. */
export function replayingServer(exchanges: readonly Exchange[]): Promise<TestServer> {
  const waiting = [...exchanges]
  return startServer(({ method, path, body }, reply) => {
    const next = waiting.shift()
    const asked = JSON.stringify([`${method} ${path}`, shown(body)])
    if (next === undefined || asked !== JSON.stringify([next.request, next.body])) {
      return send(reply, 500, `expected ${next?.request} ${JSON.stringify(next?.body)}, got ${asked}`)
    }
    return send(reply, next.status, typeof next.reply === 'string' ? next.reply : JSON.stringify(next.reply))
  })
}

function shown(bytes: Buffer | string): unknown {
  const text = String(bytes)
  if (text === '') return ''
  try {
    return JSON.parse(text)
  } catch {
    return `sha256 ${createHash('sha256').update(bytes).digest('hex')}`
  }
}
