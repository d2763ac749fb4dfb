import { normalTile, tileSize } from '../../src/optimizer/kernels/normals.ts'
import type { GraphTensor } from './onnx-writer.ts'

/** Normal weights after He: a layer with `inputs` inputs per output keeps the size of what goes through it. */
export function randomWeights(name: string, sides: readonly number[], inputs: number, seed: number): GraphTensor {
  const length = sides.reduce((product, side) => product * side, 1)
  const values = new Float32Array(length)
  const tile = new Float32Array(tileSize)
  const scale = Math.sqrt(2 / inputs)
  const row = [...name].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0, 7)
  for (let start = 0; start < length; start += tileSize) {
    const count = Math.min(tileSize, length - start)
    normalTile({ seed, iteration: 0, row }, start / tileSize, count, tile)
    for (let i = 0; i < count; i++) values[start + i] = scale * (tile[i] as number)
  }
  return { name, sides, values }
}
