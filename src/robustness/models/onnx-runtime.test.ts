import { describe, expect, test } from 'vitest'
import { linearNetwork } from '../../../test/networks/linear-network.ts'
import type { Vector } from '../../optimizer/core/types.ts'
import { onnxModel } from './onnx.ts'
import {
  isAccelerated,
  loadRuntime,
  type OnnxCall,
  type OnnxProvider,
  type OnnxRuntime,
  prepareProviders,
  providerTrouble,
  sessionOptions,
  startThreads,
} from './onnx-runtime.ts'
import { networkInput } from './preprocessing.ts'

describe('onnx-providers', () => {
  const bytes = linearNetwork({ weights: [[1, 1, 1, 1], [1, 0, 0, 0]], sides: ['N', 1, 2, 2] }) // biome-ignore format: a matrix
  const image = { rows: 1, write: (_: number, into: Vector, offset = 0) => into.set([0.1, 0.2, 0.3, 0.4], offset) }

  /** A runtime that says it can compute with these. */
  const runtimeWith = (...backends: { name: string; bundled: boolean }[]) =>
    ({ listSupportedBackends: () => backends }) as unknown as OnnxRuntime

  const linux = runtimeWith(
    { name: 'cpu', bundled: true },
    { name: 'webgpu', bundled: true },
    { name: 'cuda', bundled: false },
  )

  const scoresWith = async (providers: OnnxProvider[], sessions = 1) => {
    const model = await onnxModel({ bytes, providers, sessions }).open()
    const scores = new Float64Array(2)
    try {
      await model.predict(image, scores)
      return { runtime: model.runtime, scores: Array.from(scores, (each) => Number(each.toFixed(5))) }
    } finally {
      await model.close()
    }
  }

  test('the CPU by name computes as it does unnamed, and the record names it', async () => {
    const { runtime, scores } = await scoresWith(['cpu'])
    expect(scores).toEqual([1, 0.1])
    expect(runtime).toMatch(/^onnxruntime-node [\d.]+ on cpu, one session of one thread$/)
  })

  test('left out, nothing changes in what a session is given and in what the record says', async () => {
    expect(sessionOptions(undefined)).toEqual(sessionOptions(['cpu']))
    const model = await onnxModel({ bytes }).open()
    expect(model.runtime).toMatch(/^onnxruntime-node [\d.]+, one session of one thread$/)
    await model.close()
  })

  test('without the CPU in the list nothing may fall back to it', () => {
    expect(sessionOptions(['cuda'])).toMatchObject({ extra: { session: { disable_cpu_ep_fallback: '1' } } })
    expect(sessionOptions(['cuda', 'cpu'])).not.toHaveProperty('extra')
  })

  test('the installed runtime knows that it was told not to fall back', async () => {
    const { InferenceSession } = await loadRuntime()
    const extra = { session: { disable_cpu_ep_fallback: '1' } }
    await expect(InferenceSession.create(bytes, { executionProviders: ['cpu'], extra })).rejects.toThrow(
      'fallback to CPU EP has been explicitly disabled',
    )
  })

  describe('what is not available is refused with what is', () => {
    test('a provider that the build does not have', () => {
      expect(() => prepareProviders(linux, ['coreml'])).toThrow(
        'onnx.providers: coreml is not available here: the installed onnxruntime has cpu, webgpu, and once installed cuda',
      )
      expect(() => prepareProviders(linux, ['cpu', 'webgpu'])).not.toThrow()
    })

    test('one that the installed build does not have, whichever that is', async () => {
      const runtime = (await loadRuntime()) as OnnxRuntime & { listSupportedBackends(): { name: string }[] }
      const has = runtime.listSupportedBackends().map(({ name }) => name)
      const lacks = (['coreml', 'dml', 'cuda'] as const).find((name) => !has.includes(name)) as OnnxProvider
      await expect(scoresWith([lacks])).rejects.toThrow(`${lacks} is not available here`)
    })

    test('libraries that are not installed, with how to install them', () => {
      const message = 'OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library'
      expect(providerTrouble(linux, ['cuda'], message)).toBe(
        `cuda cannot be used here: ${message}; the libraries of cuda are installed with npm install onnxruntime-node --onnxruntime-node-install=cuda12; this onnxruntime has cpu, webgpu, and once installed cuda`,
      )
    })

    test('operators that it cannot compute, with how to leave them to the CPU', () => {
      const message = 'This session contains graph nodes that are assigned to the default CPU EP, but fallback ...'
      expect(providerTrouble(linux, ['webgpu'], message)).toBe(
        'it has operators that webgpu cannot compute: providers: [webgpu, cpu] leaves those to the CPU',
      )
    })

    test('other trouble is not blamed on the provider', () => {
      expect(providerTrouble(linux, ['webgpu'], 'Protobuf parsing failed.')).toBeUndefined()
      expect(providerTrouble(linux, undefined, 'Failed to load shared library')).toBeUndefined()
    })
  })

  test.each([
    [[], 'onnx.providers must hold at least 1'],
    [['gpu'], /onnx\.providers\.0 must be one of "cpu", "cuda"/],
    [['cuda', 'cuda'], 'onnx.providers must name each provider once'],
  ])('%j is no list of providers', (providers, complaint) => {
    expect(() => onnxModel({ bytes, providers: providers as OnnxProvider[] })).toThrow(complaint)
  })

  test('a list counts as accelerated if it names anything but the CPU', () => {
    expect([undefined, ['cpu'], ['cuda', 'cpu']].map(isAccelerated)).toEqual([false, false, true])
  })

  /**
   * A graphics card is not everywhere. One in software comes with Chromium:
   * LD_LIBRARY_PATH=/usr/lib/chromium VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json npx vitest run onnx-providers
   */
  describe.runIf(process.env.VK_ICD_FILENAMES !== undefined)('on a graphics card', () => {
    test.each([1, 2])('webgpu computes the same scores in %i sessions, and the record names it', async (sessions) => {
      const { runtime, scores } = await scoresWith(['webgpu'], sessions)
      expect(scores).toEqual([1, 0.1])
      expect(runtime).toContain(' on webgpu, ')
    })

    test('webgpu with the CPU for the rest is recorded as that', async () => {
      expect((await scoresWith(['webgpu', 'cpu'])).runtime).toContain(' on webgpu (what it cannot compute: cpu), ')
    })
  })
})

describe('onnx-threads', () => {
  const call: OnnxCall = {
    name: 'a.onnx',
    input: 'images',
    type: 'float32',
    sent: 'float32',
    output: 'scores',
    hasHalves: false,
    images: networkInput([undefined, 1, 2, 2], {}, 'a.onnx'),
    batch: 3,
  }

  test('each thread computes what lies in its own memory, all at the same time', async () => {
    const bytes = linearNetwork({ weights: [[1, 1, 1, 1]], sides: ['N', 1, 2, 2] })
    const { places, close } = await startThreads(3, bytes, call)
    places.forEach((place, i) => {
      place.data.fill(i + 1)
    })
    const scores = await Promise.all(places.map((place, i) => place.run(i + 1)))
    expect(scores.map((each) => Array.from(each))).toEqual([[4], [8, 8], [12, 12, 12]])
    await close()
    await expect(places[0]?.run(1)).rejects.toThrow('a.onnx failed on one image: its thread has ended')
    await close()
  })

  test('a network that cannot be loaded is refused, and no thread is left', async () => {
    await expect(startThreads(2, Uint8Array.of(1, 2, 3), call)).rejects.toThrow(
      /^a\.onnx cannot be loaded in 2 threads: .*$/,
    )
  })
})
