import { ZerothError } from '../core/errors.ts'
import { writeHalves } from '../core/half-precision.ts'
import { exactJson } from './exact-json.ts'
import { bytesOfNumbers, datatypeOf, elementCount, type Tensor } from './tensor.ts'

/** What is posted to a model, with the headers that describe it. */
export interface InferenceRequest {
  readonly body: string | readonly Uint8Array[]
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request with the numbers as JSON lists. */
export function jsonRequest(inputs: readonly Tensor[], outputs: readonly string[] | undefined): InferenceRequest {
  const body = exactJson({
    inputs: inputs.map(({ name, shape, datatype, data }) => ({
      name,
      shape,
      datatype,
      data: jsonData(datatype, data),
    })),
    outputs: outputs?.map((name) => ({ name })),
  })
  return { body, contentType: 'application/json', headers: {} }
}

/**
 * A request with the numbers as bytes behind a JSON header, after the binary tensor data extension. The numbers are not copied:
 * they must not change before the reply is there.
 */
export function binaryRequest(inputs: readonly Tensor[], outputs: readonly string[] | undefined): InferenceRequest {
  const sent = inputs.map(({ datatype, data }) => bytesOfNumbers(datatype === 'FP16' ? halvesOf(data) : data))
  const header = exactJson({
    inputs: inputs.map(({ name, shape, datatype }, i) => ({
      name,
      shape,
      datatype,
      parameters: { binary_data_size: sent[i]?.byteLength },
    })),
    outputs: outputs?.map((name) => ({ name, parameters: { binary_data: true } })),
    parameters: outputs === undefined ? { binary_data_output: true } : undefined,
  })
  const pieces = [new TextEncoder().encode(header), ...sent]
  return {
    body: pieces,
    contentType: 'application/octet-stream',
    headers: { 'Inference-Header-Content-Length': String(pieces[0]?.length) },
  }
}

/** Refuses tensors whose numbers do not fill their shape or cannot be sent. */
export function checkInputs(inputs: readonly Tensor[]): void {
  for (const { name, datatype, shape, data } of inputs) {
    const known = datatypeOf(datatype)
    if (known === undefined) throw new ZerothError('invalid-data', `input ${name}: ${datatype} cannot be sent`)
    const bytes = elementCount(shape) * known.make(0).BYTES_PER_ELEMENT
    if (data.byteLength === bytes) continue
    throw new ZerothError(
      'invalid-data',
      `input ${name} of ${datatype} with shape [${shape}] needs ${bytes} bytes, got ${data.byteLength}`,
    )
  }
}

function halvesOf(data: Tensor['data']): Uint16Array {
  const halves = new Uint16Array(data.length)
  writeHalves(data as Float32Array, halves)
  return halves
}

function jsonData(datatype: string, data: Tensor['data']): unknown {
  return datatype === 'BOOL' ? Array.from(data as Uint8Array, (each) => each !== 0) : data
}
