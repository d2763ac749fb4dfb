import { bytesField, joined, numberField } from './protobuf-writer.ts'

const half = 10
const single = 1

/**
 * The same network with what goes into its convolutions and products rounded to 11 bits and added up in float32: what a
 * graphics card does in TF32. There and back through float16, which has as many bits.
 */
export function roundedNetwork(onnx: Uint8Array): Uint8Array {
  return changed(onnx, (field) => (field.number === 7 ? bytesField(7, roundedGraph(field.content)) : field.raw))
}

function roundedGraph(graph: Uint8Array): Uint8Array {
  return changed(graph, (field) =>
    field.number === 1 ? joined(roundedNode(field).map((node) => bytesField(1, node))) : field.raw,
  )
}

let casts = 0

function roundedNode({ content }: Field): Uint8Array[] {
  const fields = [...fieldsOf(content)]
  const op = textOf(fields.find(({ number }) => number === 4)?.content)
  if (!['Conv', 'MatMul', 'Gemm'].includes(op)) return [content]
  const before: Uint8Array[] = []
  let input = 0
  const node = fields.map(({ number, content: name, raw }) => {
    if (number !== 1 || input++ > 1) return raw
    const [low, back] = [`rounded${casts++}`, `rounded${casts++}`]
    before.push(cast(textOf(name), low, half), cast(low, back, single))
    return bytesField(1, back)
  })
  return [...before, joined(node)]
}

function cast(from: string, to: string, type: number): Uint8Array {
  const attribute = joined([bytesField(1, 'to'), numberField(3, type), numberField(20, 2)])
  return joined([bytesField(1, from), bytesField(2, to), bytesField(4, 'Cast'), bytesField(5, attribute)])
}

interface Field {
  readonly number: number
  /** Empty for numbers. */
  readonly content: Uint8Array
  /** All of it, with its number. */
  readonly raw: Uint8Array
}

function changed(message: Uint8Array, change: (field: Field) => Uint8Array): Uint8Array {
  return joined([...fieldsOf(message)].map(change))
}

function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] as number
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const start = at
    const tag = varint()
    const wire = tag % 8
    let content = new Uint8Array()
    if (wire === 0) varint()
    else if (wire === 2) {
      const length = varint()
      content = bytes.slice(at, at + length)
      at += length
    } else at += wire === 1 ? 8 : 4
    yield { number: Math.floor(tag / 8), content, raw: bytes.slice(start, at) }
  }
}

function textOf(bytes: Uint8Array = new Uint8Array()): string {
  return new TextDecoder().decode(bytes)
}
