/** A part of the plane. */
export interface Area {
  readonly x: readonly [number, number]
  readonly y: readonly [number, number]
}

/** The values of a function on a grid over an area, row by row from the lower edge. */
export interface Grid {
  readonly side: number
  readonly values: Float64Array
}

/** Evaluates a function on a grid. */
export function gridOf(value: (x: number, y: number) => number, { x, y }: Area, side: number): Grid {
  const values = new Float64Array(side * side)
  const at = ([low, high]: readonly [number, number], i: number): number => low + ((high - low) * i) / (side - 1)
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) values[row * side + column] = value(at(x, column), at(y, row))
  }
  return { side, values }
}

/** Levels that divide the values of a grid evenly by rank: so every function has contours, whatever its range. */
export function levelsOf({ values }: Grid, count: number): number[] {
  const sorted = values.filter(Number.isFinite).sort()
  const places = Array.from({ length: count }, (_, i) => ((i + 0.5) / count) ** 2)
  return [...new Set(places.map((place) => sorted[Math.floor(place * sorted.length)] ?? 0))]
}

/** A stroke of a contour, in units of the grid. */
export type Stroke = readonly [x0: number, y0: number, x1: number, y1: number]

/** The contour of a level, in strokes: one or two for each cell that it crosses. */
export function contourOf({ side, values }: Grid, level: number): Stroke[] {
  const strokes: Stroke[] = []
  const v = (column: number, row: number): number => (values[row * side + column] as number) - level
  for (let row = 0; row + 1 < side; row++) {
    for (let column = 0; column + 1 < side; column++) {
      const [a, b, c, d] = [v(column, row), v(column + 1, row), v(column + 1, row + 1), v(column, row + 1)]
      const crossed: [number, number][] = []
      if (a < 0 !== b < 0) crossed.push([column + a / (a - b), row])
      if (b < 0 !== c < 0) crossed.push([column + 1, row + b / (b - c)])
      if (c < 0 !== d < 0) crossed.push([column + d / (d - c), row + 1])
      if (d < 0 !== a < 0) crossed.push([column, row + a / (a - d)])
      for (let i = 0; i + 1 < crossed.length; i += 2) strokes.push([...at(crossed, i), ...at(crossed, i + 1)])
    }
  }
  return strokes.filter((stroke) => stroke.every(Number.isFinite))
}

function at(points: readonly [number, number][], i: number): [number, number] {
  return points[i] as [number, number]
}
