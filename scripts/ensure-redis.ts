import { ensureProgram, type Found } from './ensure-program.ts'

/** Finds a Redis server; where there is none and we may, installs Debian's. */
export function ensureRedis(): Found {
  return ensureProgram({ called: 'Redis server', names: ['redis-server', 'valkey-server'], debian: 'redis-server' })
}

/** Before any test: of those that need it, two may begin at once, and only one can install. */
export function setup(): void {
  const found = ensureRedis()
  if ('missing' in found) process.stderr.write(`${found.missing}: tests of queues are skipped\n`)
}
