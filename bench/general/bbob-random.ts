import { dot, listOf, type Numbers, transposed } from './vectors.ts'

/** BBOB's own generator, a Lehmer generator with a shuffled table: `count` numbers in (0, 1). */
export function uniforms(count: number, seed: number): number[] {
  let current = Math.max(1, Math.abs(seed))
  const step = (): number => {
    const high = Math.floor(current / 127773)
    current = 16807 * (current - high * 127773) - 2836 * high
    if (current < 0) current += 2147483647
    return current
  }
  const table = Array.from({ length: 40 }, step).reverse().slice(0, 32)
  let drawn = table[0] as number
  return listOf(count, () => {
    const place = Math.floor(drawn / 67108865)
    drawn = table[place] as number
    table[place] = step()
    return drawn / 2147483647 || 1e-99
  })
}

/** Standard normal numbers from them. */
export function normals(count: number, seed: number): number[] {
  const u = uniforms(2 * count, seed)
  return listOf(
    count,
    (i) => Math.sqrt(-2 * Math.log(u[i] as number)) * Math.cos(2 * Math.PI * (u[count + i] as number)) || 1e-99,
  )
}

/** A minimiser in [-4, 4]^d with four digits, never zero. */
export function minimizer(seed: number, dim: number): number[] {
  return uniforms(dim, seed).map((u) => (8 * Math.floor(1e4 * u)) / 1e4 - 4 || -1e-5)
}

/** The columns of a random rotation: Gram and Schmidt on the rows of a normal matrix. */
export function rotation(seed: number, dim: number): readonly Numbers[] {
  const g = normals(dim * dim, seed)
  const rows: number[][] = []
  for (let i = 0; i < dim; i++) {
    let row = g.slice(i * dim, (i + 1) * dim)
    for (const before of rows) {
      const share = dot(row, before)
      row = row.map((v, j) => v - share * (before[j] as number))
    }
    const length = Math.sqrt(dot(row, row))
    rows.push(row.map((v) => v / length))
  }
  return transposed(rows)
}

/** The order that sorts some numbers. */
export function order(numbers: Numbers): number[] {
  return numbers.map((_, i) => i).sort((a, b) => (numbers[a] as number) - (numbers[b] as number))
}
