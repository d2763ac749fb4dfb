/** Numbers of an array, as numpy calls them: float64, float32, int64, bytes. */
export type NumberFormat = '<f8' | '<f4' | '<i8' | '|u1'

/** What comes before the numbers of an array that numpy.load reads: format 1.0, little-endian, row by row. */
export function npyHeader(shape: readonly number[], format: NumberFormat = '<f8'): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const description = `{'descr': '${format}', 'fortran_order': False, 'shape': (${sizes}), }`
  // Magic, version and length take 10 bytes, the line ends with a line break, and all of it fills blocks of 64.
  const header = description.padEnd(64 * Math.ceil((description.length + 11) / 64) - 11)
  const length = header.length + 1
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, length & 255, length >> 8])
  return Buffer.concat([start, Buffer.from(`${header}\n`)])
}

/** Numbers as they follow the header. */
export function npyNumbers(numbers: readonly number[]): Uint8Array {
  const data = new DataView(new ArrayBuffer(8 * numbers.length))
  numbers.forEach((each, i) => {
    data.setFloat64(8 * i, each, true)
  })
  return new Uint8Array(data.buffer)
}
