import { type Area, contourOf, type Grid, levelsOf } from './grid.ts'
import type { RecordedRun } from './record-run.ts'

/** Two canvases on each other: the landscape, which stays, and the paths, which move. */
export interface Plane {
  readonly ground: HTMLCanvasElement
  readonly paths: HTMLCanvasElement
}

const levels = 18

/** Draws the landscape: the lower, the darker, with contours. */
export function drawGround(
  { ground }: Plane,
  grid: Grid,
  minima: readonly (readonly [number, number])[],
  area: Area,
): void {
  const pen = penOf(ground)
  const { width, height } = ground
  const steps = levelsOf(grid, levels)
  const { side, values } = grid
  const [red, green, blue] = channelsOf(colorOf('--c1'))
  const picture = new ImageData(side, side)
  for (let i = 0; i < values.length; i++) {
    const rank = steps.filter((level) => level <= (values[i] as number)).length / steps.length
    const row = side - 1 - Math.floor(i / side)
    picture.data.set([red, green, blue, 120 * (1 - rank)], 4 * (row * side + (i % side)))
  }
  const small = new OffscreenCanvas(side, side)
  small.getContext('2d')?.putImageData(picture, 0, 0)
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(small, 0, 0, width, height)
  pen.strokeStyle = colorOf('--ink')
  pen.globalAlpha = 0.22
  pen.lineWidth = width / 600
  pen.beginPath()
  for (const level of steps) {
    for (const [x0, y0, x1, y1] of contourOf(grid, level)) {
      pen.moveTo((x0 / (side - 1)) * width, (1 - y0 / (side - 1)) * height)
      pen.lineTo((x1 / (side - 1)) * width, (1 - y1 / (side - 1)) * height)
    }
  }
  pen.stroke()
  pen.globalAlpha = 1
  for (const [x, y] of minima) cross(pen, placeOf(ground, area, x, y), width / 70)
}

/** Draws the queries of some runs up to a number of them, and the way of the best point. */
export function drawPaths({ paths }: Plane, runs: readonly RecordedRun[], area: Area, upTo: number): void {
  const pen = penOf(paths)
  const unit = paths.width / 600
  for (const [i, run] of runs.entries()) {
    const color = colorOf(pathColors[i] ?? '--ink')
    const count = Math.min(upTo, run.x.length)
    const at = (query: number) => placeOf(paths, area, run.x[query] as number, run.y[query] as number)
    pen.fillStyle = color
    for (let query = 0; query < count; query++) {
      pen.globalAlpha = query > count - 12 ? 0.9 : 0.35
      dot(pen, at(query), (query > count - 12 ? 3.2 : 2.2) * unit)
    }
    pen.globalAlpha = 1
    const way = [...new Set(run.best.slice(0, count))].map(at)
    pen.lineJoin = 'round'
    for (const [style, line] of [
      [colorOf('--paper'), 4.5],
      [color, 2.2],
    ] as const) {
      pen.strokeStyle = style
      pen.lineWidth = line * unit
      pen.beginPath()
      for (const [x, y] of way) pen.lineTo(x, y)
      pen.stroke()
    }
    const last = way.at(-1)
    if (last === undefined) continue
    pen.fillStyle = colorOf('--paper')
    dot(pen, last, 7 * unit)
    pen.fillStyle = color
    dot(pen, last, 5 * unit)
  }
}

/** The colours of the runs, by the names of CSS variables. */
export const pathColors = ['--c2', '--c4']

/** Where on the plane a place of the screen is. */
export function pointedAt({ paths }: Plane, { x, y }: Area, event: MouseEvent): [number, number] {
  const box = paths.getBoundingClientRect()
  const [right, down] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]
  return [x[0] + right * (x[1] - x[0]), y[1] - down * (y[1] - y[0])]
}

/** Makes the canvases as fine as the screen. */
export function fitToScreen({ ground, paths }: Plane): void {
  const side = Math.round(Math.max(1, paths.clientWidth) * Math.min(2, devicePixelRatio || 1))
  for (const canvas of [ground, paths]) {
    canvas.width = side
    canvas.height = side
  }
}

function placeOf({ width, height }: HTMLCanvasElement, area: Area, x: number, y: number): [number, number] {
  const share = ([low, high]: readonly [number, number], value: number): number => (value - low) / (high - low)
  // Far outside is as good as just outside, and a canvas draws it.
  const kept = (value: number): number => Math.max(-2, Math.min(3, value))
  return [kept(share(area.x, x)) * width, (1 - kept(share(area.y, y))) * height]
}

function penOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D
  pen.globalAlpha = 1
  pen.clearRect(0, 0, canvas.width, canvas.height)
  return pen
}

function dot(pen: CanvasRenderingContext2D, [x, y]: readonly [number, number], radius: number): void {
  pen.beginPath()
  pen.arc(x, y, radius, 0, 2 * Math.PI)
  pen.fill()
}

function cross(pen: CanvasRenderingContext2D, [x, y]: readonly [number, number], size: number): void {
  pen.strokeStyle = colorOf('--ink')
  pen.lineWidth = size / 5
  pen.beginPath()
  pen.moveTo(x - size, y)
  pen.lineTo(x + size, y)
  pen.moveTo(x, y - size)
  pen.lineTo(x, y + size)
  pen.stroke()
}

function colorOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable)
}

function channelsOf(hex: string): [number, number, number] {
  return [1, 3, 5].map((from) => Number.parseInt(hex.trim().slice(from, from + 2), 16)) as [number, number, number]
}
