/**
 * How many stretches of four successive normals of one lane (eight places apart) occur twice in the given tiles. If
 * two streams ran through the same states anywhere, at whatever distance, their stretches would be equal.
 */
export function equalStretches(tiles: readonly Float32Array[]): number {
  const length = tiles[0]?.length ?? 0
  const perTile = length - 24
  // 53 bits of the first two normals: exact as numbers, so that sorting them brings equal stretches together.
  const keys = new Float64Array(tiles.length * perTile)
  const keyAt = (bits: Uint32Array, i: number) => (bits[i] as number) * 2 ** 21 + ((bits[i + 8] as number) >>> 11)
  const words = tiles.map((tile) => new Uint32Array(tile.buffer, tile.byteOffset, length))
  words.forEach((bits, tile) => {
    for (let i = 0; i < perTile; i++) keys[tile * perTile + i] = keyAt(bits, i)
  })
  keys.sort()
  const twice = new Set<number>()
  // A hundred suspects are enough.
  for (let i = 1; i < keys.length && twice.size < 100; i++) {
    if (keys[i] === keys[i - 1]) twice.add(keys[i] as number)
  }
  if (twice.size === 0) return 0
  const stretches = words.flatMap((bits) => {
    const starts = Array.from({ length: perTile }, (_, i) => i).filter((i) => twice.has(keyAt(bits, i)))
    return starts.map((i) => [0, 8, 16, 24].map((step) => bits[i + step]).join(' '))
  })
  return stretches.length - new Set(stretches).size
}

/** How many of the given 128-bit blocks are equal to an earlier one. */
export function equalBlocks(blocks: readonly Uint32Array[]): number {
  return blocks.length - new Set(blocks.map((block) => block.join(' '))).size
}
