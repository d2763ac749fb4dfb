/** The 95 % confidence interval of a share (Wilson, 1927): it stays sensible for few images and for shares of 0 and 1. */
export function wilson(successes: number, count: number): [number, number] {
  if (count === 0) return [0, 1]
  const z = 1.959963984540054
  const share = successes / count
  const scale = 1 / (1 + (z * z) / count)
  const middle = scale * (share + (z * z) / (2 * count))
  const half = scale * z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
