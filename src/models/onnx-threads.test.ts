import { expect, test } from 'vitest'
import { linearNetwork } from '../../test/networks/linear-network.ts'
import { networkInput } from './network-input.ts'
import type { OnnxCall } from './onnx-runtime.ts'
import { startThreads } from './onnx-threads.ts'

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
