// Written by hand: the four messages of an event file need these few kinds of fields and nothing of what protobuf packages
// bring (schemas, readers, generated code). https://protobuf.dev/programming-guides/encoding

/** A message or a part of one: its fields in the order of their numbers. */
export type Message = Buffer

const [varintType, doubleType, lengthType] = [0, 1, 2] as const

/** A message of the given fields. */
export function message(...fields: readonly Uint8Array[]): Message {
  return Buffer.concat(fields)
}

/** A whole number from 0 to 2^53; 0 is what a field is that is left out. */
export function wholeField(number: number, value: number): Message {
  return value === 0 ? Buffer.alloc(0) : Buffer.concat([key(number, varintType), varint(value)])
}

/** A double of its own; a zero is left out. */
export function doubleField(number: number, value: number): Message {
  return Object.is(value, 0) ? Buffer.alloc(0) : Buffer.concat([key(number, doubleType), doubleBytes(value)])
}

/** A list of one double. */
export function packedDouble(number: number, value: number): Message {
  return bytesField(number, doubleBytes(value))
}

/** A list of one number of 32 bits. */
export function packedFloat(number: number, value: number): Message {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytesField(number, bytes)
}

/** A text; an empty one is left out. */
export function textField(number: number, text: string): Message {
  return text === '' ? Buffer.alloc(0) : bytesField(number, Buffer.from(text))
}

/** Bytes, a message, or an entry of a list of such: written also where it is empty. */
export function bytesField(number: number, bytes: Uint8Array): Message {
  return Buffer.concat([key(number, lengthType), varint(bytes.length), bytes])
}

function key(number: number, type: number): Buffer {
  return varint(number * 8 + type)
}

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

/** Seven bits a byte, the lowest first. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
