import { curveOf } from '../src/app/report/chart/curve.ts'
import { countText, readableNumber } from '../src/app/report/number-text.ts'
import {
  type Area,
  contourOf,
  type Grid,
  gridOf,
  levelsOf,
  type RecordedRun,
  recordRun,
  solvers,
  type Task,
} from './compute.ts'
import { byId, copied, lineChart, onResize } from './dom.ts'
import { asCode, functions, ownPlace, type PlaneFunction, type State } from './state.ts'
import { type Running, startWorker } from './worker.ts'

const side = 121
const secondsOfOwn = 3
/** How long a whole run plays. */
const playSeconds = 6

/** The tab of functions: shows what is chosen, and plays it. */
export function functionsTab(script: string, change: (changes: Partial<State>) => void) {
  const plane = { ground: byId('ground', HTMLCanvasElement), paths: byId('paths', HTMLCanvasElement) }
  const [play, slider] = [byId('play', HTMLButtonElement), byId('upTo', HTMLInputElement)]
  const message = byId('message', HTMLElement)
  const draw = lineChart(byId('convergence', HTMLElement))
  let state: State | undefined
  let shown: { readonly grid: Grid; readonly runs: readonly RecordedRun[] } | undefined
  let working: Running | undefined
  let playing: number | undefined

  plane.paths.onclick = (event) => state && change({ start: pointedAt(plane, areaOf(state), event) })
  slider.oninput = () => {
    stopPlaying()
    drawUpTo(slider.valueAsNumber)
  }
  byId('step', HTMLButtonElement).onclick = () => {
    stopPlaying()
    drawUpTo(Math.min(slider.valueAsNumber + 1, Number(slider.max)))
  }
  play.onclick = () => (playing === undefined ? startPlaying() : stopPlaying())
  byId('copy', HTMLButtonElement).onclick = () => state && copied(asCode(state), byId('copied', HTMLElement))
  byId('run', HTMLButtonElement).onclick = () => change({ code: byId('code', HTMLTextAreaElement).value })
  onResize(plane.paths, () => redraw())

  /** Shows a state; code that came with a link waits until it is told to run. */
  function show(next: State, mayRunCode: boolean): void {
    state = next
    working?.stop()
    stopPlaying()
    message.textContent = ''
    if (next.function !== 'own') {
      const { value } = known(next)
      take(
        gridOf(value, areaOf(next), side),
        tasksOf(next).map((task) => recordRun(value, task)),
      )
    } else if (mayRunCode) runOwn(next)
    else {
      shown = undefined
      message.textContent = 'This link brings code. Read it, then press Run.'
    }
  }

  function runOwn(next: State): void {
    message.textContent = 'Running …'
    const order = { kind: 'own', area: areaOf(next), side, tasks: tasksOf(next) } as const
    working = startWorker(order, { script, code: next.code, seconds: secondsOfOwn }, (answer) => {
      message.textContent = answer.kind === 'error' ? answer.message : ''
      if (answer.kind === 'own') take(answer.grid, answer.runs)
    })
  }

  function take(grid: Grid, runs: readonly RecordedRun[]): void {
    shown = { grid, runs }
    slider.max = String(Math.max(1, ...runs.map(({ x }) => x.length)))
    slider.value = slider.max
    redraw()
    drawChart()
  }

  function redraw(): void {
    if (shown === undefined || state === undefined) return
    fitToScreen(plane)
    drawGround(plane, shown.grid, state.function === 'own' ? [] : known(state).minima, areaOf(state))
    drawUpTo(slider.valueAsNumber)
  }

  function drawUpTo(queries: number): void {
    if (shown === undefined || state === undefined) return
    slider.value = String(queries)
    byId('queriesShown', HTMLOutputElement).value = `${countText(queries)} of ${countText(Number(slider.max))}`
    drawPaths(plane, shown.runs, areaOf(state), queries)
    byId('results', HTMLElement).replaceChildren(...shown.runs.map((run, i) => resultRow(run, i, queries)))
  }

  function drawChart(): void {
    if (shown === undefined || state === undefined) return
    const least = state.function === 'own' ? 0 : known(state).least
    const lines = shown.runs.map((run, i) => ({
      label: run.solver,
      style: { color: `var(${pathColors[i]})` },
      curve: curveOf(
        run.best.map((_, query) => query + 1),
        run.best.map((query) => (run.value[query] as number) - least),
      ),
    }))
    const yLabel = state.function === 'own' ? 'best value so far' : 'best value above the minimum'
    const description = shown.runs.map((run) => `${run.solver}: ${lastText(run)}.`).join(' ')
    draw(lines, { id: 'values', title: 'Best value against queries', description, xLabel: 'queries', yLabel })
  }

  function startPlaying(): void {
    const [last, from] = [Number(slider.max), slider.valueAsNumber]
    const begin = from >= last ? 0 : from
    const began = performance.now()
    play.textContent = 'Pause'
    const frame = (now: number): void => {
      const queries = Math.min(last, begin + Math.floor(((now - began) / 1000 / playSeconds) * last))
      drawUpTo(queries)
      if (queries >= last) stopPlaying()
      else playing = requestAnimationFrame(frame)
    }
    playing = requestAnimationFrame(frame)
  }

  function stopPlaying(): void {
    if (playing !== undefined) cancelAnimationFrame(playing)
    playing = undefined
    play.textContent = 'Play'
  }

  return { show, redraw }
}

function known({ function: chosen }: State): PlaneFunction {
  return functions.find(({ name }) => name === chosen) ?? (functions[0] as PlaneFunction)
}

function areaOf(state: State): Area {
  return state.function === 'own' ? ownPlace : known(state)
}

function tasksOf(state: State): Task[] {
  const { solver, rival, learningRate, start, queries, seed, noise } = state
  return [solver, rival]
    .filter((name, i, all) => name in solvers && all.indexOf(name) === i)
    .map((name) => ({ solver: name, learningRate, start, queries, seed, noise }))
}

function resultRow(run: RecordedRun, index: number, upTo: number): HTMLElement {
  const row = document.createElement('p')
  const swatch = document.createElement('i')
  swatch.style.background = `var(${pathColors[index]})`
  const count = Math.min(upTo, run.best.length)
  row.append(swatch, `${run.solver}: ${textAfter(run, count)}${run.error === undefined ? '' : ` – ${run.error}`}`)
  return row
}

function lastText(run: RecordedRun): string {
  return textAfter(run, run.best.length)
}

function textAfter(run: RecordedRun, count: number): string {
  if (count === 0) return 'no query yet'
  const best = run.best[count - 1] as number
  const [value, x, y] = [run.value[best], run.x[best], run.y[best]] as [number, number, number]
  return `${readableNumber(value)} at (${readableNumber(x)}, ${readableNumber(y)}) after ${countText(count)} queries`
}

/** Two canvases on each other: the landscape, which stays, and the paths, which move. */
export interface Plane {
  readonly ground: HTMLCanvasElement
  readonly paths: HTMLCanvasElement
}

const levels = 18

/** Draws the landscape: the lower, the darker, with contours. */
function drawGround({ ground }: Plane, grid: Grid, minima: readonly (readonly [number, number])[], area: Area): void {
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
function drawPaths({ paths }: Plane, runs: readonly RecordedRun[], area: Area, upTo: number): void {
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
const pathColors = ['--c2', '--c4']

/** Where on the plane a place of the screen is. */
function pointedAt({ paths }: Plane, { x, y }: Area, event: MouseEvent): [number, number] {
  const box = paths.getBoundingClientRect()
  const [right, down] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]
  return [x[0] + right * (x[1] - x[0]), y[1] - down * (y[1] - y[0])]
}

/** Makes the canvases as fine as the screen. */
function fitToScreen({ ground, paths }: Plane): void {
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
