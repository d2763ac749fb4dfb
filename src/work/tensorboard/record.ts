/** Each byte's share of a CRC-32C (Castagnoli): Node's own crc32 has another polynomial. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  return crc
})

/** The CRC-32C of bytes (RFC 3720, appendix B.4). */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (table[(crc ^ byte) & 255] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}

/** As TFRecord files keep it: rotated by 15 bits and moved, so that a CRC of bytes that hold a CRC is none of note. */
export function maskedCrc(bytes: Uint8Array): number {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

/** Bytes as a record of a TFRecord file: their length, its CRC, they themselves, their CRC, all little-endian. */
export function record(data: Uint8Array): Buffer {
  const framed = Buffer.alloc(data.length + 16)
  framed.writeUInt32LE(data.length % 0x1_0000_0000, 0)
  framed.writeUInt32LE(Math.floor(data.length / 0x1_0000_0000), 4)
  framed.writeUInt32LE(maskedCrc(framed.subarray(0, 8)), 8)
  framed.set(data, 12)
  framed.writeUInt32LE(maskedCrc(data), data.length + 12)
  return framed
}
