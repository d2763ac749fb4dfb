import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ImageShape } from '../../src/optimizer/core/types.ts'
import { httpModel, linearModel, models, onnxModel, openInferenceModel } from '../../src/robustness/models/index.ts'
import { linearNetwork } from '../networks/linear-network.ts'
import { servedNetwork } from '../networks/network-server.ts'
import { tinyNetwork } from '../networks/tiny-network.ts'
import { startOpenInferenceServer } from '../servers/open-inference-server.ts'
import { send, startServer } from '../servers/server.ts'
import { type ModelHost, modelConforms } from './model.ts'

const small: ImageShape = { channels: 3, height: 2, width: 4 }
const weights = [1, 2, 3, 4].map((k) => Array.from({ length: 24 }, (_, i) => Math.sin(k * (i + 1))))
const digits = { shape: { channels: 1, height: 28, width: 28 }, classes: 10, tolerance: 1e-5 }
const linear = {
  shape: small,
  classes: 4,
  tolerance: 1e-12,
  reference: (x: Float64Array) => weights.map((w) => dot(w, x)),
}

type Hosts = Readonly<Record<string, () => Promise<ModelHost>>>

/** For every part what runs it, in all the ways it can be run. */
const hosts: Readonly<Record<string, Hosts>> = {
  linear: {
    'with weights': async () => {
      const source = linearModel({ shape: small, weights })
      return { ...linear, tolerance: 0, open: () => source.open() }
    },
  },
  onnx: {
    'a network from bytes': async () => onnxHost(tinyNetwork()),
    'a network of one image at a time': async () => onnxHost(tinyNetwork({ batch: 1 })),
    'a network of four images at a time': async () => onnxHost(tinyNetwork({ batch: 4 })),
    'a network with channels last': async () => onnxHost(tinyNetwork({ layout: 'NHWC' })),
    'three images per call': async () => onnxHost(tinyNetwork(), { batch: 3 }),
    'two sessions': async () => onnxHost(tinyNetwork(), { sessions: 2 }),
    'two sessions of four images at a time': async () => onnxHost(tinyNetwork({ batch: 4 }), { sessions: 2 }),
    'a file with its sidecar': () => fileHost(),
    'a network in double precision': async () => {
      const bytes = linearNetwork({ weights, sides: ['N', 3, 2, 4], type: 'float64' })
      return { ...linear, open: () => onnxModel({ bytes }).open() }
    },
  },
  'open-inference': {
    'bytes on the wire': () => servedHost(tinyNetwork(), {}),
    'JSON on the wire': () => servedHost(tinyNetwork(), { encoding: 'json' }),
    'three requests at once': () => servedHost(tinyNetwork(), { concurrency: 3, batch: 2 }),
    'a network of four images at a time': () => servedHost(tinyNetwork({ batch: 4 }), {}),
    'a network in double precision': async () => {
      const bytes = linearNetwork({ weights, sides: ['N', 3, 2, 4], type: 'float64' })
      return { ...(await servedHost(bytes, {})), ...linear }
    },
  },
  'http-classifier': {
    'one image per request': () => httpHost(false),
    'many images per request': () => httpHost(true),
  },
}

for (const part of models) {
  const { name } = part.definition
  const own = hosts[name]

  test(`${name} has something that runs it`, () => {
    expect(Object.keys(own ?? {}), `add hosts for ${name} to test/conformance/model.test.ts`).not.toEqual([])
  })

  for (const [title, start] of Object.entries(own ?? {})) describe(`${name}: ${title}`, () => modelConforms(start))
}

test('names are not given twice', () => {
  const names = models.map((part) => part.definition.name)
  expect(new Set(names).size).toBe(names.length)
})

function onnxHost(bytes: Uint8Array, options: object = {}): ModelHost {
  return {
    ...digits,
    open: () => onnxModel({ bytes, ...options }).open(),
    failing: { open: () => onnxModel({ ...misfit(), ...options }).open(), names: 'the network given as bytes' },
  }
}

/** A network whose weights do not fit its images, which shows only when it is run. */
function misfit() {
  const bytes = linearNetwork({ weights: [[1, 2, 3]], sides: ['N', 1, 'height', 'width'] })
  return { bytes, preprocessing: { shape: { channels: 1, height: 2, width: 2 } } }
}

async function fileHost(): Promise<ModelHost> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-model-'))
  const file = join(folder, 'sums.onnx')
  writeFileSync(
    file,
    linearNetwork({ weights: weights.map((w) => w.map((each) => each / 255)), sides: ['N', 3, 2, 4] }),
  )
  writeFileSync(join(folder, 'sums.preprocessing.json'), JSON.stringify({ range: [0, 255] }))
  return {
    ...linear,
    tolerance: 1e-5,
    open: () => onnxModel({ file }).open(),
    close: async () => rmSync(folder, { recursive: true }),
  }
}

async function servedHost(bytes: Uint8Array, options: object): Promise<ModelHost> {
  const [network, broken] = [await servedNetwork(bytes), await servedNetwork(misfit().bytes)]
  const server = await startOpenInferenceServer({ network, broken })
  const { preprocessing } = misfit()
  return {
    ...digits,
    open: () => openInferenceModel({ url: server.url, model: 'network', ...options }).open(),
    failing: {
      open: () => openInferenceModel({ url: server.url, model: 'broken', preprocessing, ...options }).open(),
      names: `${server.url}/v2/models/broken/infer`,
    },
    async close() {
      await server.close()
      await network.release()
      await broken.release()
    },
  }
}

async function httpHost(batched: boolean): Promise<ModelHost> {
  const server = await startServer(({ path, body }, reply) => {
    const { image, images } = JSON.parse(body.toString()) as { image?: number[][][]; images?: number[][][][] }
    const scores = (pixels: number[][][]) => linear.reference(Float64Array.from(pixels.flat(2)))
    if (path === '/broken') send(reply, 500, 'out of order')
    else send(reply, 200, JSON.stringify({ scores: image === undefined ? images?.map(scores) : scores(image) }))
  })
  const options = { shape: small, classes: 4, batched }
  return {
    ...linear,
    tolerance: 0,
    open: () => httpModel({ url: server.url, ...options }).open(),
    failing: {
      open: () => httpModel({ url: `${server.url}/broken`, ...options }).open(),
      names: `${server.url}/broken`,
    },
    close: server.close,
  }
}

function dot(a: readonly number[], b: Float64Array): number {
  return a.reduce((sum, each, i) => sum + each * (b[i] as number), 0)
}
