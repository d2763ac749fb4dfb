import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { ensureRedis } from '../../scripts/ensure-redis.ts'

/** Where the server program is, or why there is none. */
export const redis = ensureRedis()

/** A real Redis server of a test's own. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** kill -9; `start` brings it back, with its data if it keeps any. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Forgets what it would have kept. */
  forget(): void
  /** Talks to it as a test. */
  command<T>(use: (client: Redis) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Starts a server; with `keeps` it writes every change down before it answers. */
export async function startRedis(settings: readonly string[] = [], keeps = false): Promise<RedisServer> {
  if ('missing' in redis) throw new Error(redis.missing)
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-redis-'))
  const port = await freePort()
  const durable = keeps ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...durable, ...settings]
  let server: ChildProcess | undefined
  const start = async (): Promise<void> => {
    server = spawn(redis.path, args, { stdio: 'ignore' })
    await answering(port)
  }
  const kill = (): Promise<void> =>
    new Promise((resolve) => {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return resolve()
      server.once('exit', () => resolve())
      server.kill('SIGKILL')
    })
  await start()
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    forget: () => rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true }),
    async command(use) {
      const client = new Redis(port, '127.0.0.1')
      try {
        return await use(client)
      } finally {
        client.disconnect()
      }
    },
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Leaves a server room for so much; 0 is no limit. */
export async function limitMemory(server: RedisServer, bytes: string): Promise<void> {
  await server.command((client) => client.config('SET', 'maxmemory', bytes))
}

/** Waits until the server answers, be it that a password is needed. */
async function answering(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (/^(\+PONG|-NOAUTH)/.test(await firstWords(port))) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`redis-server does not answer at port ${port}`)
}

function firstWords(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const end = (text: string): void => {
      socket.destroy()
      resolve(text)
    }
    socket.on('data', (data) => end(String(data)))
    socket.on('error', () => end(''))
    socket.on('close', () => end(''))
  })
}

/** A port that nobody listens to. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
