/** Queries that tell noise from signal: in each generation this many of its points are asked again. */
export function repeatsOf(population: number): number {
  return Math.min(population, 2 + Math.floor(population / 20))
}

/**
 * How much noise changes the order of a generation: the mean change of rank from a value to its repetition, 0 where there is
 * none, about 1 where the order is all noise (in the spirit of Hansen et al., "A Method for Handling Uncertainty", 2009).
 */
export function rankChange(values: Float64Array, repeated: Float64Array): number {
  const all = [...values, ...repeated]
  const rank = (of: number): number => all.reduce((below, each) => below + (each < of ? 1 : 0), 0)
  let [sum, count] = [0, 0]
  repeated.forEach((again, i) => {
    const first = values[i] as number
    if (Number.isNaN(first) || Number.isNaN(again)) return
    sum += Math.max(0, Math.abs(rank(first) - rank(again)) - 1)
    count++
  })
  return count === 0 ? 0 : (3 * sum) / (count * all.length)
}

/** Means over the copies of a batch, NaN where no copy was answered: row r of the batch is point r modulo `points`. */
export function meansOf(given: Float64Array, points: number): Float64Array {
  const means = new Float64Array(points)
  const counts = new Float64Array(points)
  given.forEach((value, row) => {
    if (Number.isNaN(value)) return
    means[row % points] = (means[row % points] as number) + value
    counts[row % points] = (counts[row % points] as number) + 1
  })
  return means.map((sum, i) => sum / (counts[i] as number))
}
