import { minimize, zoAdaMM } from '../../src/index.ts'
import { classifierObjective, onnxModel } from '../../src/robustness/models/index.ts'
import { tinyNetwork } from '../networks/tiny-network.ts'

// Bundled into one file that runs in Node and in browsers alike, so that their scores can be compared.

/** What a network says to three images, what computed it, and where a short run on it ends. */
export interface Classified {
  readonly runtime: string
  readonly scores: readonly number[]
  readonly value: number
  readonly queries: number
}

/** Classifies the same images with the same network, wherever this runs, and minimises its first score a little. */
export async function classifiedDigits(): Promise<Classified> {
  const model = await onnxModel({ bytes: tinyNetwork(), preprocessing: { range: [0, 255] } }).open()
  const dim = 28 * 28
  const scores = new Float32Array(3 * model.classes)
  const write = (row: number, into: Float32Array | Float64Array, offset = 0): void => {
    for (let i = 0; i < dim; i++) into[offset + i] = ((i * (row + 7)) % 256) / 255
  }
  await model.predict({ rows: 3, write }, scores)
  const objective = classifierObjective(model, (of) => of[0] as number)
  const { value, queries } = await minimize(objective, new Float64Array(dim).fill(0.5), {
    solver: zoAdaMM({ learningRate: { value: 0.01, decay: 'sqrt' } }),
    precision: 'float32',
    maxIterations: 5,
  })
  await model.close()
  return { runtime: model.runtime, scores: Array.from(scores), value, queries }
}
