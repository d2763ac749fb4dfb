import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { commands } from '../src/cli/commands.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The documents of a YAML file, which must have no errors. */
function documents(path: string): unknown[] {
  const all = parseAllDocuments(read(path))
  return (all as { errors: readonly unknown[]; toJS(): unknown }[]).map((each) => {
    expect(each.errors).toEqual([])
    return each.toJS()
  })
}

/** All containers in plain data that are of the image zeroth, wherever they are. */
function containers(data: unknown): { readonly command?: string[]; readonly args?: string[] }[] {
  if (typeof data !== 'object' || data === null) return []
  const own = (data as { image?: unknown }).image === 'zeroth' ? [data as { command?: string[]; args?: string[] }] : []
  return [...own, ...Object.values(data).flatMap(containers)]
}

describe.each(['deploy/compose.yaml', 'deploy/kubernetes.yaml'])('%s', (path) => {
  const calls = documents(path)
    .flatMap(containers)
    .map(({ command, args }) => args ?? command ?? [])

  test('has an attack and workers, with commands and options that exist', async () => {
    expect(calls.map(([name]) => name)).toEqual(['attack', 'worker'])
    for (const [name, ...args] of calls) {
      const { command } = (await commands.find((each) => each.name === name)?.load()) ?? {}
      expect(command?.().parseOptions(args).unknown).toEqual([])
    }
  })

  test('has no password in it', () => {
    const passwords = [...read(path).matchAll(/rediss?:\/\/:(.*?)@/g)].map(([, word]) => word)
    expect(passwords.filter((word = '') => !/^(PASSWORD|\$\{REDIS_PASSWORD:\?\})$/.test(word))).toEqual([])
    expect(calls.flat().filter((word) => /redis/i.test(word))).toEqual(calls.map(() => 'env:REDIS_URL'))
  })
})

test('the compose file keeps Redis from throwing jobs away', () => {
  const [compose] = documents('deploy/compose.yaml') as [{ services: { redis: { command: string[] } } }]
  expect(compose.services.redis.command.join(' ')).toContain('--maxmemory-policy noeviction')
})

test('the Dockerfile installs the versions that zeroth was tested with', () => {
  const { peerDependencies } = JSON.parse(read('package.json')) as { peerDependencies: Record<string, string> }
  const installed = [...read('deploy/Dockerfile').matchAll(/ ([a-z-]+)@([\d.]+)/g)]
  expect(installed.map(([, name]) => name)).toEqual(['bullmq', 'ioredis', 'onnxruntime-node', 'sharp'])
  for (const [, name, version] of installed) expect(peerDependencies[name as string]).toBe(version)
})
