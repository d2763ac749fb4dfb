/** The slope of log y against log x, by least squares: the exponent of a power law. */
export function logLogSlope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))
  const mean = (of: 'x' | 'y'): number => logs.reduce((sum, each) => sum + each[of], 0) / logs.length
  const [centerX, centerY] = [mean('x'), mean('y')]
  const products = logs.reduce((sum, { x, y }) => sum + (x - centerX) * (y - centerY), 0)
  const squares = logs.reduce((sum, { x }) => sum + (x - centerX) * (x - centerX), 0)
  return products / squares
}
