import type { ScreenedImage } from '../../src/robustness/index.ts'
import { linearModel } from '../../src/robustness/models/index.ts'
import type { Network } from './network.ts'

/** Two pixels and two classes: class 1 from where the second pixel is 0.25 brighter than the first. */
export async function testNetwork(): Promise<Network> {
  const shape = { channels: 1, height: 1, width: 2 }
  const weights = [
    [1, 0],
    [0, 1],
  ]
  const model = await linearModel({ shape, weights, bias: [0.25, 0] }).open()
  const dataset = {
    name: 'test images',
    count: 2,
    shape,
    title: String,
    label: () => 0,
    read: async () => ({ shape, pixels: Float32Array.of(0.5, 0.5) }),
  }
  return { model, dataset, spec: { model: 'none', images: 'none' }, file: undefined }
}

/** One of its images as screening finds it. */
export function testImage(index: number): ScreenedImage {
  return {
    index,
    title: String(index),
    label: 0,
    predicted: 0,
    target: null,
    status: 'attacked',
    reason: null,
    modelCalls: 1,
  }
}
