import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../queue/certificate.ts'
import { freePort, type RedisServer, redis, startRedis } from '../queue/redis-server.ts'
import { type Ended, onlyObject, type Started, start, zeroth } from './zeroth.ts'

const password = 'canary-3d1f-password'
const user = ['zeroth', 'on', `>${password}`, '~zeroth:*', 'resetchannels', '+@all', '-@admin', '-@dangerous', '+info']

/** Whether the server program knows TLS: then it only complains that it has nowhere to listen. */
function canEncrypt(): boolean {
  if ('missing' in redis || spawnSync('openssl', ['version']).status !== 0) return false
  const said = spawnSync(redis.path, ['--port', '0', '--tls-port', '0', '--save', ''], { encoding: 'utf8' })
  return !/FATAL CONFIG/.test(said.stdout + said.stderr)
}

describe.skipIf(!canEncrypt())('a queue over TLS, for a user with a password', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'zeroth-tls-'))
  const trusting = { NODE_EXTRA_CA_CERTS: join(cwd, 'authority.pem') }
  let server: RedisServer
  let worker: Started | undefined
  let host: string

  beforeAll(async () => {
    makeCertificate(cwd)
    writeFileSync(join(cwd, 'problem.yaml'), 'objective: rosenbrock\ndim: 4\nsolver: zo-adamm\nmaxQueries: 60\n')
    const port = await freePort()
    host = `localhost:${port}`
    const files = ['--tls-cert-file', join(cwd, 'server.pem'), '--tls-key-file', join(cwd, 'server.key')]
    const tls = ['--tls-port', `${port}`, ...files, '--tls-ca-cert-file', join(cwd, 'authority.pem')]
    server = await startRedis([...tls, '--tls-auth-clients', 'no', '--user', ...user, '--user', 'default', 'off'])
  })
  afterAll(async () => {
    worker?.child.kill('SIGKILL')
    await server.close()
    rmSync(cwd, { recursive: true, force: true })
  })

  const envOf = (url: string, env: Record<string, string> = trusting) => ({ ...env, REDIS_URL: url })
  const status = (url: string, env?: Record<string, string>): Promise<Ended> =>
    zeroth(['queue', 'status', 'env:REDIS_URL'], { cwd, env: envOf(url, env) })

  test('gives the same result as none', async () => {
    const env = envOf(`rediss://zeroth:${password}@${host}`)
    const plain = onlyObject(await zeroth(['minimize', 'problem.yaml', '--out', 'plain', '--json'], { cwd }))
    worker = start(['worker', 'env:REDIS_URL', 'problem.yaml'], { cwd, env })
    while (!worker.stderr().includes('at once')) {
      if (worker.child.exitCode !== null) throw new Error(worker.stderr())
      await new Promise((done) => setTimeout(done, 20))
    }
    const args = ['minimize', 'problem.yaml', '--queue', 'env:REDIS_URL', '--out', 'queued', '--json']
    expect(onlyObject(await zeroth(args, { cwd, env })).hash).toBe(plain.hash)
    const seen = await status(env.REDIS_URL)
    expect(seen.stdout).toMatch(new RegExp(`^queue default at rediss://${host}$`, 'm'))
    expect(worker.stderr() + seen.stdout).not.toContain(password)
  })

  test.concurrent.each([
    [
      'an unknown authority',
      'rediss://zeroth:PASSWORD@HOST',
      {},
      1,
      ' in certificate chain); NODE_EXTRA_CA_CERTS must name',
    ],
    ['another name', 'rediss://zeroth:PASSWORD@127.0.0.1:PORT', trusting, 1, "does not match certificate's altnames"],
    ['no TLS', 'redis://zeroth:PASSWORD@HOST', trusting, 1, '; does it want TLS (rediss://)?'],
    [
      'a wrong password',
      'rediss://zeroth:not-the-one@HOST',
      trusting,
      2,
      'the user or the password is wrong (WRONGPASS',
    ],
    ['another user', 'rediss://nobody:PASSWORD@HOST', trusting, 2, 'the user or the password is wrong (WRONGPASS'],
    ['no password', 'rediss://HOST', trusting, 2, 'refuses the connection: no password was given (NOAUTH'],
  ])('says what is wrong with %s', async (_, address, env, exit, message) => {
    const [, port = ''] = host.split(':')
    const url = address.replace('PASSWORD', password).replace('HOST', host).replace('PORT', port)
    const { code, stderr } = await status(url, env)
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)])
    expect(stderr).not.toContain(password)
  })
})
