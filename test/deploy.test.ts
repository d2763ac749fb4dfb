import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { commands } from '../src/app/cli/command-line.ts'

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

const texts = z.array(z.string())
const seconds = z.string().regex(/^\d+s$/)
/** What the files use of the compose specification, with the types it has there. */
const service = z.strictObject({
  image: z.string(),
  command: texts,
  environment: z.record(z.string(), z.string()),
  volumes: z.array(z.string().regex(/^[\w./-]+:\/\w+(:ro)?$/)),
  restart: z.string().regex(/^(unless-stopped|on-failure:\d+)$/),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
  healthcheck: z.strictObject({ test: texts, interval: seconds }).optional(),
  stop_grace_period: seconds.optional(),
  deploy: z.strictObject({ replicas: z.string() }).optional(),
})
const compose = z.strictObject({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.object({})) })

/** The same of the Kubernetes API: pods, and what makes them. */
const named = { name: z.string() }
const claim = z.strictObject({ claimName: z.string(), readOnly: z.boolean().optional() })
const pod = z.strictObject({
  restartPolicy: z.literal('OnFailure').optional(),
  terminationGracePeriodSeconds: z.int(),
  securityContext: z.strictObject({ runAsNonRoot: z.boolean(), runAsUser: z.int(), fsGroup: z.int() }),
  containers: z.tuple([
    z.strictObject({
      ...{ ...named, image: z.string(), args: texts },
      env: z.array(
        z.strictObject({
          ...named,
          valueFrom: z.strictObject({ secretKeyRef: z.strictObject({ ...named, key: z.string() }) }),
        }),
      ),
      resources: z.strictObject({ requests: z.strictObject({ cpu: z.string(), memory: z.string() }) }),
      volumeMounts: z.array(z.strictObject({ ...named, mountPath: z.string(), readOnly: z.boolean().optional() })),
    }),
  ]),
  volumes: z.array(z.strictObject({ ...named, persistentVolumeClaim: claim })),
})
const labels = z.strictObject({ app: z.string() })
const job = z.strictObject({
  ...{ apiVersion: z.literal('batch/v1'), kind: z.literal('Job'), metadata: z.strictObject(named) },
  spec: z.strictObject({ backoffLimit: z.int(), template: z.strictObject({ spec: pod }) }),
})
const deployment = z.strictObject({
  ...{ apiVersion: z.literal('apps/v1'), kind: z.literal('Deployment'), metadata: z.strictObject(named) },
  spec: z.strictObject({
    replicas: z.int(),
    selector: z.strictObject({ matchLabels: labels }),
    template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
  }),
})

test('the files have no fields but those of their formats, and what they refer to is there', () => {
  const { services, volumes } = compose.parse(documents('deploy/compose.yaml')[0])
  const sources = Object.values(services).flatMap((each) => each.volumes.map((volume) => volume.split(':')[0] ?? ''))
  expect(sources.filter((source) => !source.startsWith('./'))).toEqual(Object.keys(volumes))
  const needed = Object.values(services).flatMap((each) => Object.keys(each.depends_on ?? {}))
  expect(needed.filter((name) => services[name]?.healthcheck === undefined)).toEqual([])

  const [attack, workers] = z.tuple([job, deployment]).parse(documents('deploy/kubernetes.yaml'))
  expect(workers.spec.selector.matchLabels).toEqual(workers.spec.template.metadata.labels)
  for (const { containers, volumes: own } of [attack, workers].map(({ spec }) => spec.template.spec)) {
    expect(containers[0].volumeMounts.map(({ name }) => name)).toEqual(own.map(({ name }) => name))
  }
})

describe.each(['deploy/compose.yaml', 'deploy/kubernetes.yaml'])('%s', (path) => {
  const calls = documents(path)
    .flatMap(containers)
    .map(({ command, args }) => args ?? command ?? [])

  test('has an attack and workers, with commands and options that exist', async () => {
    expect(calls.map(([name]) => name)).toEqual(['attack', 'worker'])
    for (const [name, ...args] of calls) {
      const command = await commands.find((each) => each.name === name)?.load()
      expect(command?.parseOptions(args).unknown).toEqual([])
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
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
  const installed = [...read('deploy/Dockerfile').matchAll(/ ([a-z-]+)@([\d.]+)/g)]
  expect(installed.map(([, name]) => name)).toEqual(['bullmq', 'ioredis', 'onnxruntime-node', 'sharp'])
  for (const [, name, version] of installed) expect(devDependencies[name as string]).toBe(version)
})
