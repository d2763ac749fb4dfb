const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let word = byte
  for (let bit = 0; bit < 8; bit++) word = (word & 1) === 0 ? word >>> 1 : (word >>> 1) ^ 0xedb88320
  return word
})

/** The CRC-32 of zip, PNG and `zlib.crc32`: it finds every error of up to 32 neighbouring bits. */
export function crc32(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let word = -1
  for (let i = from; i < to; i++) word = (word >>> 8) ^ (table[(word ^ (bytes[i] as number)) & 255] as number)
  return ~word >>> 0
}
