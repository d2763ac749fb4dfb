import { expect, test } from 'vitest'
import { networkInput } from './network-input.ts'
import { networkPlace, placeData } from './network-place.ts'

const images = networkInput([4, 1, 1, 2], {}, 'a.onnx')

test('calls of fewer images than the network takes are filled up with black, whatever was there before', async () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8)
  const place = networkPlace(images, data, async (count) => Array.from(data.subarray(0, 2 * count), (x) => 10 * x))
  expect(Array.from(await place.run(3))).toEqual([10, 20, 30, 40, 50, 60])
  expect(Array.from(data)).toEqual([1, 2, 3, 4, 5, 6, 0, 0])
  expect(Array.from(await place.run(4))).toHaveLength(8)
})

test('memory is of the kind that the network takes, and shared where that is wanted', () => {
  const size = { name: 'a.onnx', type: 'float64', images, batch: 4 } as const
  expect(placeData(size)).toEqual(new Float64Array(8))
  expect(placeData({ ...size, type: 'uint8' }, true).buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(() => placeData({ ...size, batch: 1e9 })).toThrow('a.onnx with 1000000000 images of 1x1x2 at a time needs')
})
