import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { ServedModel, ServedTensor } from '../servers/open-inference-server.ts'

const datatypes: Readonly<Record<string, string>> = { float32: 'FP32', float64: 'FP64', uint8: 'UINT8' }
const arrays = { float32: Float32Array, float64: Float64Array, uint8: Uint8Array }

/** A network for the stub of an inference server, computed by onnxruntime-node. */
export async function servedNetwork(bytes: Uint8Array): Promise<ServedModel & { release(): Promise<void> }> {
  const session = await InferenceSession.create(bytes, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 4,
  })
  const described = (values: typeof session.inputMetadata) =>
    values.flatMap((value) =>
      value.isTensor ? [{ ...value, sides: value.shape.map((side) => (typeof side === 'number' ? side : -1)) }] : [],
    )
  const declared = (values: typeof session.inputMetadata) =>
    described(values).map(({ name, type, sides }) => ({ name, datatype: datatypes[type] ?? type, shape: sides }))
  return {
    inputs: declared(session.inputMetadata),
    outputs: declared(session.outputMetadata),
    async infer(inputs) {
      const feeds = Object.fromEntries(
        inputs.map(({ name, shape, data }) => {
          const type = described(session.inputMetadata).find((each) => each.name === name)?.type as 'float32'
          return [name, new Tensor(type, arrays[type].from(data), shape)]
        }),
      )
      const results = await session.run(feeds)
      return Object.entries(results).map(([name, { type, dims, data }]): ServedTensor => {
        return { name, datatype: datatypes[type] ?? type, shape: dims, data: Array.from(data as Float32Array) }
      })
    },
    release: () => session.release(),
  }
}
