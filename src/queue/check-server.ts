import type { Redis } from 'ioredis'
import { messageOf, ZerothError } from '../core/errors.ts'
import type { RedisAddress } from './redis-address.ts'

const oldest = 7

/**
 * Refuses servers that a queue cannot rely on: too old, or set up to throw jobs away when memory is short. A user without
 * the right to ask for that is let in.
 */
export async function checkServer(client: Redis, address: RedisAddress): Promise<void> {
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
