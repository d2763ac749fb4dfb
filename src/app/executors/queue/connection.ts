import { isIP } from 'node:net'
import type * as bullmq from 'bullmq'
import type { Redis } from 'ioredis'
import { messageOf, ZerothError } from '../../../optimizer/core/errors.ts'
import { loadOptional, missingPackage } from '../../../optimizer/core/optional-package.ts'
import type { RedisAddress } from './redis-address.ts'

/** A connection to the server that holds the queue, with the library that speaks to it. */
export interface Connection {
  readonly client: Redis
  readonly bullmq: typeof bullmq
  readonly address: RedisAddress
  /** Milliseconds since the connection was lost; 0 while it is there. */
  lostFor(): number
  /** Calls back whenever the connection is there again. */
  onReturn(callback: () => void): void
  /** Calls back when the connection is lost, once per loss. */
  onLoss(callback: (reason: string) => void): void
  /** The error of a command, in words and without the password. */
  failure(error: unknown): ZerothError
  close(): Promise<void>
}

/** Milliseconds for a server to answer at all when a connection is made. */
const patience = 10_000

/** A command that is not answered for so long is given up with its connection, which is then made anew. */
const socketTimeout = 20_000

/**
 * The packages that speak to a server; others in tests. Their types are not named: programs that check all declarations need
 * not have them installed.
 */
export interface QueuePackages {
  readonly redis: object
  readonly bullmq: object
}

interface LoadedPackages {
  readonly redis: Pick<typeof import('ioredis'), 'Redis'>
  readonly bullmq: typeof bullmq
}

/** Connects and checks that the server is one that a queue can rely on. */
export async function connect(
  address: RedisAddress,
  load: () => Promise<QueuePackages> = packages,
): Promise<Connection> {
  const { redis, bullmq: library } = (await load()) as LoadedPackages
  let wasReady = false
  let lastError: unknown
  const client = new redis.Redis({
    host: address.host,
    port: address.port,
    db: address.db,
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.isEncrypted ? { tls: isIP(address.host) === 0 ? { servername: address.host } : {} } : {}),
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: patience,
    socketTimeout,
    // What cannot be reached when it is asked for the first time is a mistake; later it is an outage, which ends.
    retryStrategy: (attempt) => (wasReady ? Math.min(100 * attempt, 2000) : null),
  })
  client.on('error', (error: unknown) => {
    lastError = error
  })
  try {
    await inTime(client.connect(), address)
    // A database that is not there would be number 0, and nobody would say so.
    if (address.db !== 0) await inTime(client.select(address.db), address)
    await inTime(checkServer(client, address), address)
  } catch (error) {
    client.disconnect()
    throw error instanceof ZerothError ? error : unreachable(lastError ?? error, address)
  }
  wasReady = true
  return { bullmq: library, ...kept(client, address, () => lastError) }
}

function kept(client: Redis, address: RedisAddress, lastError: () => unknown): Omit<Connection, 'bullmq'> {
  const returns: (() => void)[] = []
  const losses: ((reason: string) => void)[] = []
  let lostAt: number | undefined
  let isClosing = false
  client.on('close', () => {
    if (lostAt !== undefined || isClosing) return
    lostAt = performance.now()
    const error = lastError()
    const reason = error === undefined ? 'the connection was closed' : address.redact(messageOf(error))
    for (const callback of losses) callback(reason)
  })
  client.on('ready', () => {
    if (lostAt === undefined) return
    lostAt = undefined
    for (const callback of returns) callback()
  })
  return {
    client,
    address,
    lostFor: () => (lostAt === undefined ? 0 : performance.now() - lostAt),
    onReturn: (callback) => void returns.push(callback),
    onLoss: (callback) => void losses.push(callback),
    failure: (error) => failureOf(error, address),
    async close() {
      isClosing = true
      if (client.status === 'ready') await soon(client.quit())
      client.disconnect()
    },
  }
}

/** Waits for what should take no time, a second at most: a server that is gone must not keep anything open. */
export async function soon(work: Promise<unknown>, milliseconds = 1000): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work.catch(() => undefined), enough])
  clearTimeout(timer)
}

async function packages(): Promise<QueuePackages> {
  const redis = await loadOptional('ioredis', () => import('ioredis'))
  const library = redis && (await loadOptional('bullmq', () => import('bullmq')))
  if (redis === undefined || library === undefined) throw await missingPackage('a queue', 'bullmq')
  return { redis, bullmq: library }
}

async function inTime<T>(work: Promise<T>, address: RedisAddress): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const hint = address.isEncrypted ? '; does it speak TLS?' : ''
    const what = `${address.shown} did not answer within ${patience / 1000} s${hint}`
    const error = new ZerothError('unreachable', what)
    timer = setTimeout(() => reject(error), patience)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Why nothing could be connected. */
function unreachable(error: unknown, address: RedisAddress): ZerothError {
  const { code } = (error ?? {}) as { code?: unknown }
  const text = address.redact(messageOf(error))
  const refusal = /^(WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password)/.test(text)
  if (refusal) {
    const given = address.password === undefined ? 'no password was given' : 'the user or the password is wrong'
    return new ZerothError('invalid-option', `${address.shown} refuses the connection: ${given} (${text})`)
  }
  // What OpenSSL adds to its code is about its own source.
  const isOpaque = text === '' || String(code).startsWith('ERR_SSL_')
  const isNamed = code === undefined || text.includes(String(code))
  const why = isOpaque ? String(code) : isNamed ? text : `${code}: ${text}`
  return new ZerothError('unreachable', `no Redis can be reached at ${address.shown} (${why})${hintFor(why, address)}`)
}

/** What is mostly behind it where a connection is refused or cut before it stands. */
function hintFor(why: string, { isEncrypted }: RedisAddress): string {
  if (/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(why)) {
    return '; NODE_EXTRA_CA_CERTS must name a file with the authority of its certificate'
  }
  const isCut = /ECONNRESET|EPIPE|Connection is closed/.test(why)
  if (isCut && !isEncrypted) return '; does it want TLS (rediss://)?'
  const wantsCertificate = isCut || why.includes('CERTIFICATE_REQUIRED')
  return wantsCertificate && isEncrypted ? '; it must not ask for certificates of clients (tls-auth-clients no)' : ''
}

/** What an error of the server means for the run: nobody can be asked until a person has changed something. */
function failureOf(error: unknown, address: RedisAddress): ZerothError {
  if (error instanceof ZerothError) return error
  const text = address.redact(messageOf(error)).replace(/ script: .*$/s, '')
  if (/\bOOM\b/.test(text)) {
    const advice = 'raise its maxmemory, or lower parallel; then resume the run'
    return new ZerothError('unreachable', `${address.shown} is full: it takes no more jobs (${text}); ${advice}`)
  }
  if (/\bNOPERM\b/.test(text)) {
    return new ZerothError('unreachable', `${address.shown} does not let this user do what a queue needs: ${text}`)
  }
  return new ZerothError('unreachable', `${address.shown}: ${text}`, { cause: error })
}

/** Whether a command failed because the connection was lost, or because the server was just starting. */
export function isPassing(error: unknown): boolean {
  const lost = /Connection is closed|connection close|Socket timeout|ECONN|EPIPE|ETIMEDOUT|^LOADING|^READONLY/
  return lost.test(messageOf(error))
}

const oldest = 7

/**
 * Refuses servers that a queue cannot rely on: too old, or set up to throw jobs away when memory is short. A user without
 * the right to ask for that is let in.
 */
async function checkServer(client: Redis, address: RedisAddress): Promise<void> {
  const [server, memory] = await Promise.all([info(client, 'server'), info(client, 'memory')])
  const version = server.redis_version
  if (version !== undefined && Number.parseInt(version, 10) < oldest) {
    throw refused(address, `is Redis ${version}; a queue needs Redis or Valkey ${oldest} or later`)
  }
  const policy = memory.maxmemory_policy
  if (policy !== undefined && policy !== 'noeviction') {
    const reason = 'when memory is short it would delete jobs without a word'
    const advice = 'set maxmemory-policy noeviction'
    throw refused(address, `has the eviction policy ${policy}: ${reason}; ${advice}`)
  }
}

async function info(client: Redis, section: string): Promise<Partial<Record<string, string>>> {
  try {
    const text = await client.info(section)
    return Object.fromEntries([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map((match) => [match[1], match[2]]))
  } catch (error) {
    if (messageOf(error).startsWith('NOPERM')) return {}
    throw error
  }
}

function refused({ shown }: RedisAddress, what: string): ZerothError {
  return new ZerothError('invalid-option', `${shown} ${what}`)
}
