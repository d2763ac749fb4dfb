import { hostname } from 'node:os'
import type { Redis } from 'ioredis'
import { jsonOr } from '../../../optimizer/core/exact-json.ts'
import { zerothVersion } from '../../provenance/machine.ts'
import type { Served } from './served.ts'

/** Somebody at a queue: a worker that serves something, or a run that asks for it. */
export interface Announcement {
  /** Unique among all that are there. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly serves: Served
  readonly zeroth: string
  /** Of a worker: jobs it does at once. */
  readonly concurrency?: number | undefined
  /** Of one that has left because it could not go on: why. */
  readonly left?: string | undefined
}

/** Who is announced: workers or runs. */
export type Role = 'workers' | 'runs'

/** An announcement that is renewed until it is withdrawn. */
export interface Announced {
  readonly announcement: Announcement
  /** Withdraws it; a reason stays to be read for a minute. */
  leave(reason?: string): Promise<void>
}

/** Seconds that an announcement is believed, and after which it is renewed. */
const [believed, renewed] = [15, 5]

const remembered = 60

// The time is the server's: clocks of machines differ. Those whose time is up are forgotten whenever somebody says something.
const forget = `
  local now = tonumber(redis.call('TIME')[1])
  local gone = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)
  for _, id in ipairs(gone) do redis.call('HDEL', KEYS[2], id) end
  if #gone > 0 then redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) end`

// No answer: of a thousand workers, each would hear of all others every few seconds.
const put = `${forget}
  if ARGV[3] == '' then
    redis.call('ZREM', KEYS[1], ARGV[1])
    redis.call('HDEL', KEYS[2], ARGV[1])
  else
    redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
  end`

const list = `${forget}
  return redis.call('HVALS', KEYS[2])`

/** The keys of announcements, all of which begin with the prefix. */
function keysOf(prefix: string, name: string, role: Role): [string, string] {
  return [`${prefix}:${role}:${name}:until`, `${prefix}:${role}:${name}:who`]
}

/** Says who is there, and goes on saying it. */
export async function announce(
  client: Redis,
  place: { readonly prefix: string; readonly name: string; readonly role: Role },
  about: Omit<Announcement, 'host' | 'pid' | 'zeroth'>,
): Promise<Announced> {
  const announcement = { ...about, host: hostname(), pid: process.pid, zeroth: zerothVersion() }
  const keys = keysOf(place.prefix, place.name, place.role)
  const say = (seconds: number, text: string): Promise<unknown> => client.eval(put, 2, ...keys, about.id, seconds, text)
  await say(believed, JSON.stringify(announcement))
  const timer = setInterval(() => {
    // While the server is away nothing piles up.
    if (client.status === 'ready') say(believed, JSON.stringify(announcement)).catch(() => undefined)
  }, renewed * 1000)
  timer.unref()
  return {
    announcement,
    async leave(reason) {
      clearInterval(timer)
      await say(remembered, reason === undefined ? '' : JSON.stringify({ ...announcement, left: reason }))
    },
  }
}

/** Everybody who is announced, those who have left with a reason included. */
export async function announced(client: Redis, prefix: string, name: string, role: Role): Promise<Announcement[]> {
  const texts = (await client.eval(list, 2, ...keysOf(prefix, name, role))) as string[]
  return texts.flatMap((text) => {
    const read = jsonOr(text) as Announcement | null | undefined
    return typeof read?.id === 'string' && typeof read.serves?.hash === 'string' ? [read] : []
  })
}

/** Whether two sides mean the same, in the same version of zeroth. */
export function isMatch(a: { serves: Served; zeroth: string }, b: { serves: Served; zeroth: string }): boolean {
  return a.serves.hash === b.serves.hash && a.zeroth === b.zeroth
}

/** What is served, with all that must be the same on the other side. */
export function servedText({ serves, zeroth }: { serves: Served; zeroth: string }): string {
  return `${serves.what} (content ${serves.hash}, zeroth ${zeroth})`
}
