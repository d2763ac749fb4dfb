import { curveOf } from '../src/report/chart/curve.ts'
import { countText, readableNumber } from '../src/report/number-text.ts'
import { asCode } from './as-code.ts'
import { byId, copied, onResize } from './dom.ts'
import { functions, ownPlace, type PlaneFunction } from './functions.ts'
import { type Area, type Grid, gridOf } from './grid.ts'
import { lineChart } from './line-chart.ts'
import { drawGround, drawPaths, fitToScreen, pathColors, pointedAt } from './plane.ts'
import { type RecordedRun, recordRun, type Task } from './record-run.ts'
import { solvers } from './solvers.ts'
import type { State } from './state.ts'
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
    else message.textContent = 'This link brings code. Read it, then press Run.'
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
