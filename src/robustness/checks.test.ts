import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fakeModel } from '../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../test/attacks/memory-dataset.ts'
import { roundedNetwork } from '../../test/networks/rounded-network.ts'
import { ZerothError } from '../optimizer/core/errors.ts'
import type { Solver, Vector } from '../optimizer/core/types.ts'
import { zoAdaMM } from '../optimizer/methods/presets.ts'
import { askCanaries, mostNoiseCalls, noiseCalls, noiseFloor, noiseWarnings } from './checks.ts'
import { embeddedImages } from './embedded/index.ts'
import { evaluateRobustness } from './evaluate-robustness.ts'
import { nearestBoundary } from './methods/nearest-boundary.ts'
import { square } from './methods/square.ts'
import type { Model } from './models/model.ts'
import { onnxModel } from './models/onnx.ts'
import { screenImages } from './screening.ts'

describe('canaries', () => {
  const dataset = memoryDataset(Array.from({ length: 12 }, (_, i) => ({ pixels: [i / 12, 0.5], label: 0 })))

  /** Asks one model first and another one at the end. */
  async function asked(before: Model, after: Model, signal?: AbortSignal) {
    return askCanaries(after, dataset, await screenImages(before, dataset, {}), signal)
  }

  const logits = (shift = 0) => fakeModel(2, 3, ([x = 0]) => [10 - x + shift, 0, -10 - 2 * shift])
  const probabilities = (rest: number) => fakeModel(2, 2, () => [1 - rest, rest], { scores: 'probabilities' })

  describe('clean images that are asked about again', () => {
    test('are ten at most in one request, five of them in requests of their own, too, and the same answers say nothing', async () => {
      const model = logits()
      expect(await asked(logits(), model)).toEqual({
        record: { asked: 15, changed: 0, unanswered: 0, reason: null },
        ...{ failedQueries: 0, retries: 0 },
      })
      expect(model.calls).toEqual([10, 1, 1, 1, 1, 1])
    })

    test.each([
      ['noise of a thousandth of the range', logits(), logits(0.02), 0],
      ['a tenth of the range', logits(), logits(2), 15],
      ['other last digits of probabilities', probabilities(1e-4), probabilities(0), 0],
      ['another second class of a model that is sure', probabilities(1e-4), probabilities(0.02), 15],
    ])('show %s', async (_, before, after, changed) => {
      expect((await asked(before, after)).record).toMatchObject({ asked: 15, changed, unanswered: 0 })
    })

    test('say what changed first', async () => {
      const other = fakeModel(2, 3, () => [0, 10, -10])
      expect((await asked(logits(), other)).record.reason).toBe('image 0: class 0 before, class 1 now')
      expect((await asked(logits(), logits(2))).record.reason).toBe('image 0: scores moved by up to 4')
    })

    test('show rows that are mixed up in a request, and a wrong server behind the same address', async () => {
      const picture = ([x = 0]: Float64Array) => [10 - x, x, -10]
      const mixed = (rows: number, row: number) => (rows > 1 ? rows - 1 - row : row)
      const straight = fakeModel(2, 3, picture)
      const swapped: Model = {
        ...straight,
        async predict(images, into, signal) {
          const write = (row: number, to: Float64Array) => images.write(mixed(images.rows, row), to)
          await straight.predict({ ...images, write: write as typeof images.write }, into, signal)
        },
      }
      const shades = memoryDataset(Array.from({ length: 12 }, (_, i) => ({ pixels: [i / 12, 0], label: 0 })))
      const screened = await screenImages(straight, shades, {})
      // Of ten in the wrong order, four have scores that differ by less than a fiftieth of the range.
      expect((await askCanaries(swapped, shades, screened, undefined)).record).toMatchObject({ asked: 15, changed: 6 })
      let turn = 0
      const wrong = fakeModel(2, 3, () => [0, 10, 0])
      const replica: Model = { ...straight, predict: (...at) => (turn++ % 2 === 0 ? straight : wrong).predict(...at) }
      expect((await askCanaries(replica, shades, screened, undefined)).record).toMatchObject({ asked: 15, changed: 3 })
    })

    test('that get no answer are counted, and are no change', async () => {
      const gone = logits()
      const lost = { ...gone, predict: async () => Promise.reject(new ZerothError('query-failed', 'gone')) }
      const { record, failedQueries } = await asked(logits(), lost)
      expect(record).toEqual({ asked: 15, changed: 0, unanswered: 15, reason: null })
      expect(failedQueries).toBe(15)
    })
  })
})

describe('noise-floor', () => {
  type Name = 'digits' | 'cifar10'

  /** An embedded network, computed in float32 or as TF32 would. */
  const opened = (name: Name, change: (onnx: Uint8Array) => Uint8Array = (onnx) => onnx): Promise<Model> => {
    const asset = (file: string) => readFileSync(new URL(`../../assets/${name}/${file}`, import.meta.url))
    const preprocessing = JSON.parse(String(asset('model.preprocessing.json')))
    return onnxModel({ bytes: change(new Uint8Array(asset('model.onnx'))), preprocessing }).open()
  }

  /** The same model with other scores. */
  const answering = (model: Model, change: (score: number, call: number) => number): Model => {
    let calls = 0
    return {
      ...model,
      async predict(images, into, signal) {
        calls++
        await model.predict(images, into, signal)
        into.forEach((score, i) => {
          into[i] = change(score, calls * 1000 + i)
        })
      },
    }
  }

  /** A number rounded to so many bits. */
  const roundedTo = (value: number, bits: number): number => {
    const step = 2 ** (Math.floor(Math.log2(Math.abs(value) || 1)) - bits + 1)
    return Math.round(value / step) * step
  }

  const methods: Record<'nearest-boundary', Solver> = { 'nearest-boundary': nearestBoundary({ smoothing: 0.005 }) }

  const noiseOf = async (
    model: Model,
    name: Name = 'digits',
    solver = methods['nearest-boundary'],
    more: object = {},
  ) => {
    const dataset = await embeddedImages(name)
    const screened = await screenImages(model, dataset, { count: 3 })
    return noiseFloor(model, dataset, screened, { solver, maxQueries: 1000, ...more }, undefined)
  }

  describe.each(['digits', 'cifar10'] as const)('%s', (name) => {
    test('in float32 nearly nothing of what probes measure is noise, and nothing is said', async () => {
      const model = await opened(name)
      const noise = await noiseOf(model, name)
      expect(noise?.share).toBeLessThan(0.02)
      expect(noise).toMatchObject({ again: expect.closeTo(0, 4), asked: noiseCalls, length: 0.005 })
      expect(noise).not.toHaveProperty('probe')
      expect(noiseWarnings(noise)).toEqual([])
      await model.close()
    })

    test('in TF32 most of it is, probes become longer, and it is said what to do', async () => {
      const model = await opened(name, roundedNetwork)
      const noise = await noiseOf(model, name)
      expect(noise?.share).toBeGreaterThan(0.5)
      expect(noise).toMatchObject({ again: 0, probe: 0.04, asked: mostNoiseCalls })
      expect(noiseWarnings(noise)).toEqual([
        expect.stringMatching(
          /^\d+ % of what probes of length 0\.005 measure is noise .* mostly noise .* TF32, .* uses probes of length 0\.04,/,
        ),
      ])
      await model.close()
    })

    test('probes that are short for scores in half precision are called noisy', async () => {
      const model = await opened(name)
      const half = answering(model, (score) => roundedTo(score, 11))
      const noise = await noiseOf(half, name, zoAdaMM({ smoothing: 0.001 }))
      expect(noise?.share).toBeGreaterThan(0.2)
      expect(noiseWarnings(noise)).toEqual([expect.stringContaining('half precision')])
      await model.close()
    })
  })

  describe('digits', () => {
    const using = async (use: (model: Model) => Promise<void>, change?: (onnx: Uint8Array) => Uint8Array) => {
      const model = await opened('digits', change)
      await use(model).finally(() => model.close())
    }

    test('the same seed finds the same, to the bit', () =>
      using(async (model) => {
        expect(await noiseOf(model)).toEqual(await noiseOf(model))
      }, roundedNetwork))

    test('a method that keeps to the length it was given is told which option is longer', () =>
      using(async (model) => {
        const noise = await noiseOf(model, 'digits', zoAdaMM({ smoothing: 0.005 }))
        expect(noise).not.toHaveProperty('probe')
        expect(noiseWarnings(noise)[0]).toContain('or use longer probes (-O solver.smoothing=0.05)')
      }, roundedNetwork))

    test('a model that answers differently when asked again is told from one that rounds', () =>
      using(async (model) => {
        const random = answering(model, (score, i) => score + 0.02 * Math.sin(i * i))
        const noise = await noiseOf(random)
        expect(noise?.again).toBeGreaterThan(0.2)
        expect(noiseWarnings(noise)[0]).toContain('other scores when it is asked about the same image again')
      }))

    test.each([
      ['whose rows are in reverse', (scores: Vector) => scores.reverse()],
      ['half of which is wrong', (scores: Vector) => scores.subarray(scores.length / 2).reverse()],
    ])('a single reply %s is no noise: what seems to be is measured again', (_, lie) =>
      using(async (model) => {
        let calls = 0
        const noise = await noiseOf({
          ...model,
          async predict(images, into, signal) {
            await model.predict(images, into, signal)
            // The first call classifies the three images, the second is about the probes.
            if (++calls === 2) lie(into)
          },
        })
        expect(noise?.share).toBeLessThan(0.02)
        expect(noise).toMatchObject({ asked: mostNoiseCalls })
        expect(noise).not.toHaveProperty('probe')
        expect(noiseWarnings(noise)).toEqual([])
      }),
    )

    test('nothing is asked where others speak, or nothing can be gained', () =>
      using(async (model) => {
        expect(await noiseOf({ ...model, grid: 1 / 255 })).toBeNull()
        expect(await noiseOf({ ...model, scores: 'labels' })).toBeNull()
        expect(await noiseOf(model, 'digits', square())).toBeNull()
        expect(await noiseOf(model, 'digits', methods['nearest-boundary'], { maxQueries: 100 })).toBeNull()
      }))

    test('a model that is flat however far one goes is left to those who speak of flatness', () =>
      using(async (model) => {
        const flat = answering(model, (score) => (score > 0 ? 5 : -5))
        expect(await noiseOf(flat)).toBeNull()
      }))

    test('scores with steps that no probe reaches are all noise', () =>
      using(async (model) => {
        const coarse = answering(model, (score) => Math.round(score * 2) / 2)
        expect(noiseWarnings(await noiseOf(coarse))).toHaveLength(1)
      }))

    test('an evaluation counts the pictures, says what it found, and comes near to what float32 finds', () =>
      using(async (model) => {
        const dataset = await embeddedImages('digits')
        const given = { count: 2, maxQueries: 600, solver: methods['nearest-boundary'] }
        const { noise, summary, images, canaries, warnings } = await evaluateRobustness(model, dataset, given)
        const asked = images.reduce((sum, { modelCalls }) => sum + modelCalls, 0) + (canaries?.asked ?? 0)
        expect(summary.modelCalls).toBe(asked + (noise?.asked ?? 0))
        expect(noise?.asked).toBe(2 * 38)
        expect(warnings).toEqual(noiseWarnings(noise))
        expect(warnings).toHaveLength(1)
        expect(summary.bestL2.mean).toBeLessThan(0.6)
      }, roundedNetwork))
  })
})
