import type { Model } from '../src/robustness/models/index.ts'

/** The weights of a network by name. */
type Weights = Readonly<Record<string, Float32Array>>

/** Size and stride of a layer. */
interface Layer {
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  readonly kernel: number
  readonly stride: number
  readonly side: number
}

const layers: readonly Layer[] = [
  { name: 'network.body.0', inputs: 1, outputs: 12, kernel: 5, stride: 2, side: 28 },
  { name: 'network.body.3', inputs: 12, outputs: 24, kernel: 3, stride: 2, side: 14 },
  { name: 'network.body.6', inputs: 24, outputs: 40, kernel: 3, stride: 1, side: 7 },
]
const classes = 10

/** The embedded network for digits, in plain JavaScript: it needs no runtime. */
export function digitsModel(file: Uint8Array): Model {
  const weights = weightsOf(file)
  const [mean, deviation] = [weights.mean?.[0] ?? 0, weights.deviation?.[0] ?? 1]
  const pixels = new Float32Array(784)
  const scoresOf = (into: Float32Array | Float64Array, offset: number): void => {
    let values: Float32Array = pixels.map((pixel) => (pixel - mean) / deviation)
    for (const layer of layers) values = convolved(values, layer, weights)
    const { outputs } = layers[2] as Layer
    const area = values.length / outputs
    const means = Array.from(
      { length: outputs },
      (_, i) => values.subarray(i * area, (i + 1) * area).reduce((a, b) => a + b) / area,
    )
    const [head, bias] = [named(weights, 'network.head.weight'), named(weights, 'network.head.bias')]
    for (let c = 0; c < classes; c++) {
      into[offset + c] = means.reduce(
        (sum, value, i) => sum + value * (head[c * outputs + i] as number),
        bias[c] as number,
      )
    }
  }
  return {
    shape: { channels: 1, height: 28, width: 28 },
    classes,
    scores: 'logits',
    bounds: { lower: 0, upper: 1 },
    batch: 64,
    runtime: 'plain JavaScript',
    warnings: [],
    predict(images, into) {
      for (let row = 0; row < images.rows; row++) {
        images.write(row, pixels)
        scoresOf(into, row * classes)
      }
    },
    close: () => undefined,
  }
}

/** A convolution with as much padding as half its kernel, and what is below 0 cut off. */
function convolved(
  values: Float32Array,
  { name, inputs, outputs, kernel, stride, side }: Layer,
  weights: Weights,
): Float32Array {
  const [weight, bias] = [named(weights, `${name}.weight`), named(weights, `${name}.bias`)]
  const pad = kernel >> 1
  const wide = side + 2 * pad
  const padded = new Float32Array(inputs * wide * wide)
  for (let i = 0; i < inputs; i++) {
    for (let y = 0; y < side; y++) {
      padded.set(values.subarray((i * side + y) * side, (i * side + y + 1) * side), (i * wide + y + pad) * wide + pad)
    }
  }
  const out = Math.floor((side - 1) / stride) + 1
  const result = new Float32Array(outputs * out * out)
  for (let o = 0; o < outputs; o++) {
    for (let y = 0; y < out; y++) {
      for (let x = 0; x < out; x++) {
        let sum = bias[o] as number
        for (let i = 0; i < inputs; i++) {
          for (let ky = 0; ky < kernel; ky++) {
            const from = (i * wide + y * stride + ky) * wide + x * stride
            const at = ((o * inputs + i) * kernel + ky) * kernel
            for (let kx = 0; kx < kernel; kx++) sum += (padded[from + kx] as number) * (weight[at + kx] as number)
          }
        }
        result[(o * out + y) * out + x] = Math.max(0, sum)
      }
    }
  }
  return result
}

function named(weights: Weights, name: string): Float32Array {
  const found = weights[name]
  if (found === undefined) throw new Error(`the network has no ${name}`)
  return found
}

/** The weights in an ONNX file: the tensors (field 5) of its graph (field 7), as 32-bit or 16-bit numbers. */
function weightsOf(file: Uint8Array): Weights {
  const weights: Record<string, Float32Array> = {}
  for (const graph of fieldsOf(file, 7)) {
    for (const tensor of fieldsOf(graph, 5)) {
      const name = new TextDecoder().decode(fieldsOf(tensor, 8)[0]).replace(/\.half$/, '')
      const raw = fieldsOf(tensor, 9)[0] ?? new Uint8Array()
      const bytes = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
      const isHalf = numberOf(tensor, 2) === 10
      weights[name] = Float32Array.from({ length: raw.length / (isHalf ? 2 : 4) }, (_, i) =>
        isHalf ? half(bytes.getUint16(2 * i, true)) : bytes.getFloat32(4 * i, true),
      )
    }
  }
  return weights
}

function half(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
  const size = exponent === 0 ? fraction / 16777216 : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits & 0x8000 ? -size : size
}

/** The contents of a field of a protobuf message, wherever it occurs in it. */
function fieldsOf(message: Uint8Array, wanted: number): Uint8Array[] {
  return [...fields(message)].flatMap(({ number, bytes }) => (number === wanted && bytes ? [bytes] : []))
}

function numberOf(message: Uint8Array, wanted: number): number | undefined {
  return [...fields(message)].find(({ number, bytes }) => number === wanted && !bytes)?.value
}

function* fields(message: Uint8Array): Generator<{ number: number; value?: number; bytes?: Uint8Array }> {
  let at = 0
  const varint = (): number => {
    let [value, factor] = [0, 1]
    for (;;) {
      const byte = message[at++] as number
      value += (byte & 127) * factor
      if (byte < 128) return value
      factor *= 128
    }
  }
  while (at < message.length) {
    const tag = varint()
    const number = tag >> 3
    if ((tag & 7) === 0) yield { number, value: varint() }
    else {
      const length = (tag & 7) === 2 ? varint() : (tag & 7) === 5 ? 4 : 8
      at += length
      yield { number, bytes: message.subarray(at - length, at) }
    }
  }
}
