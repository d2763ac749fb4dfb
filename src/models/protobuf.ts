/** One field of a protobuf message: a number, or the range of bytes that is its content. */
export interface ProtobufField {
  readonly number: number
  /** Undefined where the field is a range of bytes; 0 for numbers of fixed length, whose value nobody here needs. */
  readonly value: number | undefined
  readonly start: number
  readonly end: number
}

/** A place in the bytes of a message, and how to say that they make no sense. */
interface Cursor {
  readonly bytes: Uint8Array
  readonly end: number
  readonly refuse: (why: string) => never
  at: number
}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 }
const tagLimit = 4294967296

/** The fields of the message between two places, one after the other. What lies inside a group is skipped. */
export function* protobufFields(
  bytes: Uint8Array,
  start: number,
  end: number,
  refuse: (why: string) => never,
): Generator<ProtobufField> {
  const cursor: Cursor = { bytes, end, refuse, at: start }
  let groups = 0
  while (cursor.at < end) {
    const tag = varint(cursor)
    // Others drop the bits above the 32nd and would see another field than we do.
    if (tag < 8 || tag >= tagLimit) refuse(`the field before byte ${cursor.at} has an impossible number`)
    if (tag % 8 === wireTypes.groupStart) groups++
    else if (tag % 8 === wireTypes.groupEnd) groups--
    else {
      const field = content(cursor, Math.floor(tag / 8), tag % 8)
      if (groups === 0) yield field
    }
    if (groups < 0) refuse(`byte ${cursor.at - 1} ends a group that never began`)
  }
  if (groups > 0) refuse('a group never ends')
}

function content(cursor: Cursor, number: number, wireType: number): ProtobufField {
  if (wireType === wireTypes.varint) {
    const value = varint(cursor)
    return { number, value, start: cursor.at, end: cursor.at }
  }
  if (wireType === wireTypes.bytes) {
    const start = skip(cursor, varint(cursor))
    return { number, value: undefined, start, end: cursor.at }
  }
  if (wireType === wireTypes.fixed64) skip(cursor, 8)
  else if (wireType === wireTypes.fixed32) skip(cursor, 4)
  else cursor.refuse(`the field before byte ${cursor.at} has the wire type ${wireType}, which does not exist`)
  return { number, value: 0, start: cursor.at, end: cursor.at }
}

function varint(cursor: Cursor): number {
  let value = 0
  let factor = 1
  for (let length = 0; length < 10; length++) {
    if (cursor.at >= cursor.end) cursor.refuse('it ends in the middle of a number')
    const byte = cursor.bytes[cursor.at++] as number
    value += (byte & 127) * factor
    if (byte < 128) return value
    factor *= 128
  }
  return cursor.refuse(`the number before byte ${cursor.at} is longer than 10 bytes`)
}

function skip(cursor: Cursor, length: number): number {
  const { at, end } = cursor
  if (length > end - at) cursor.refuse(`byte ${at} announces ${length} bytes where ${end - at} are left`)
  cursor.at += length
  return at
}
