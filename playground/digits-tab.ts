import labelBytes from 'digits:labels'
import pixelBytes from 'digits:pixels'
import { curveOf } from '../src/report/chart/curve.ts'
import { countText, distanceText, percentText } from '../src/report/number-text.ts'
import { asCommand } from './as-code.ts'
import type { AttackFrame } from './attack-image.ts'
import { byId, copied } from './dom.ts'
import { lineChart } from './line-chart.ts'
import type { State } from './state.ts'
import { type Running, startWorker } from './worker.ts'

const sideOfDigit = 28
const area = sideOfDigit * sideOfDigit
const secondsOfAttack = 60

/** The tab of digits: choose one, attack it, and see it change. */
export function digitsTab(script: string, change: (changes: Partial<State>) => void) {
  const attackButton = byId('attackDigit', HTMLButtonElement)
  const message = byId('attackMessage', HTMLElement)
  const draw = lineChart(byId('margins', HTMLElement))
  let state: State | undefined
  let working: Running | undefined

  byId('digits', HTMLElement).replaceChildren(...Array.from(labelBytes, (label, i) => thumbnail(label, i, change)))
  attackButton.onclick = () => (working === undefined ? attack() : stop('Stopped.'))
  byId('copyCommand', HTMLButtonElement).onclick = () =>
    state && copied(asCommand(state), byId('commandCopied', HTMLElement))

  function show(next: State): void {
    const isOther = state?.digit !== next.digit
    state = next
    stop('')
    for (const [i, button] of [...byId('digits', HTMLElement).children].entries()) {
      button.setAttribute('aria-pressed', String(i === next.digit))
    }
    if (!isOther) return
    const pixels = pixelsOf(next.digit)
    paint('original', pixels, (pixel) => 255 * pixel)
    paint('changed', pixels, (pixel) => 255 * pixel)
    paint('change', pixels, () => 128)
    byId('originalClass', HTMLElement).textContent = `a ${labelBytes[next.digit]}`
    byId('changedClass', HTMLElement).textContent = 'not attacked yet'
    byId('changeSize', HTMLElement).textContent = '–'
    byId('bars', HTMLElement).replaceChildren()
  }

  function attack(): void {
    if (state === undefined) return
    const { digit, attack: name, limit, queries, seed } = state
    const pixels = pixelsOf(digit)
    const label = labelBytes[digit] as number
    attackButton.textContent = 'Stop'
    message.textContent = 'Attacking …'
    const task = { pixels, label, attack: name, limit, queries, seed }
    working = startWorker({ kind: 'attack', task }, { script, seconds: secondsOfAttack }, (answer) => {
      if (answer.kind === 'error') stop(answer.message)
      if (answer.kind !== 'attack') return
      showFrame(answer.frame, pixels, label)
      if (answer.frame.isLast) stop(conclusion(answer.frame))
    })
  }

  function stop(said: string): void {
    working?.stop()
    working = undefined
    attackButton.textContent = 'Attack'
    message.textContent = said
  }

  function showFrame(frame: AttackFrame, original: Float32Array, label: number): void {
    const largest = Math.max(1e-9, frame.linf)
    paint('changed', frame.pixels, (pixel) => 255 * pixel)
    paint('change', frame.pixels, (pixel, i) => 128 + (127 * (pixel - (original[i] as number))) / largest)
    const seen = frame.scores.indexOf(Math.max(...frame.scores))
    byId('changedClass', HTMLElement).textContent = frame.margin < 0 ? `taken for a ${seen}` : `still a ${label}`
    byId('changeSize', HTMLElement).textContent = `± ${distanceText(frame.linf)}, l₂ ${distanceText(frame.l2)}`
    byId('bars', HTMLElement).replaceChildren(...bars(frame.scores, label))
    const curve = curveOf(
      frame.course.map(([queries]) => queries),
      frame.course.map(([, margin]) => margin),
    )
    draw([{ label: 'margin', style: { color: 'var(--c2)' }, curve }], {
      id: 'margin',
      title: 'Margin against queries',
      description: `From ${distanceText(curve.y[0] ?? 0)} to ${distanceText(curve.y.at(-1) ?? 0)}; below 0 the model is fooled.`,
      xLabel: 'queries',
      yLabel: 'score of the true class above the next',
      target: 0,
    })
  }

  return { show }
}

function conclusion({ first, queries, margin }: AttackFrame): string {
  if (!(margin < 0)) return `Withstood ${countText(queries)} queries.`
  return `Fooled after ${countText(first)} of ${countText(queries)} queries; the others made the change smaller.`
}

function pixelsOf(digit: number): Float32Array {
  return Float32Array.from(pixelBytes.subarray(digit * area, (digit + 1) * area), (byte) => byte / 255)
}

function thumbnail(label: number, index: number, change: (changes: Partial<State>) => void): HTMLElement {
  const button = document.createElement('button')
  const canvas = document.createElement('canvas')
  button.ariaLabel = `digit ${index + 1}, a ${label}`
  button.append(canvas)
  button.onclick = () => change({ digit: index })
  paintOn(canvas, pixelsOf(index), (pixel) => 255 * pixel)
  return button
}

function paint(id: string, pixels: Float32Array, gray: (pixel: number, i: number) => number): void {
  paintOn(byId(id, HTMLCanvasElement), pixels, gray)
}

function paintOn(canvas: HTMLCanvasElement, pixels: Float32Array, gray: (pixel: number, i: number) => number): void {
  canvas.width = canvas.height = sideOfDigit
  const picture = new ImageData(sideOfDigit, sideOfDigit)
  for (const [i, pixel] of pixels.entries()) {
    const shade = gray(pixel, i)
    picture.data.set([shade, shade, shade, 255], 4 * i)
  }
  canvas.getContext('2d')?.putImageData(picture, 0, 0)
}

/** How sure the model is of each class. */
function bars(scores: readonly number[], label: number): HTMLElement[] {
  const highest = Math.max(...scores)
  const weights = scores.map((score) => Math.exp(score - highest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight, c) => {
    const row = document.createElement('div')
    const [name, bar, text] = ['b', 'i', 'span'].map((tag) => document.createElement(tag)) as [
      HTMLElement,
      HTMLElement,
      HTMLElement,
    ]
    name.textContent = String(c)
    bar.style.width = `${(100 * weight) / total}%`
    bar.className = c === label ? 'true' : ''
    text.textContent = percentText(weight / total)
    const track = document.createElement('span')
    track.className = 'track'
    track.append(bar)
    row.append(name, track, text)
    return row
  })
}
