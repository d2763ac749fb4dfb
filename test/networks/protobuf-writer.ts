/** The bytes of one field of a protobuf message. */
export type FieldBytes = Uint8Array

const wireTypes = { varint: 0, bytes: 2 }

/** A whole number as a field. */
export function numberField(number: number, value: number): FieldBytes {
  return joined([varint(number * 8 + wireTypes.varint), varint(value)])
}

/** Bytes, a text or an inner message as a field. */
export function bytesField(number: number, content: Uint8Array | string): FieldBytes {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return joined([varint(number * 8 + wireTypes.bytes), varint(bytes.length), bytes])
}

/** Fields one after the other: a message. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.from([...bytes, rest])
}
