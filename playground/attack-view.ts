import labelBytes from 'digits:labels'
import pixelBytes from 'digits:pixels'
import { curveOf } from '../src/app/report/chart/curve.ts'
import { countText, distanceText, percentText } from '../src/app/report/number-text.ts'
import type { ImageShape } from '../src/optimizer/core/types.ts'
import type { AttackFrame } from './attack-image.ts'
import { byId, lineChart } from './dom.ts'

/** A picture that is attacked, and how its class and those of the model are called. */
export interface Subject {
  readonly shape: ImageShape
  readonly pixels: Float32Array
  readonly label: number
  /** A class beside its bar, and in a sentence. */
  readonly nameOf: (index: number) => string
  readonly called: (index: number) => string
}

/** How many classes are shown: those with the highest scores, unless all are. */
const mostBars = 10

/** The pictures, the scores and the curve of an attack. */
export function attackView() {
  const draw = lineChart(byId('margins', HTMLElement))

  function showOriginal({ shape, pixels, label, called }: Subject): void {
    paint('original', shape, pixels, (pixel) => 255 * pixel)
    paint('changed', shape, pixels, (pixel) => 255 * pixel)
    paint('change', shape, pixels, () => 128)
    byId('originalClass', HTMLElement).textContent = called(label)
    byId('changedClass', HTMLElement).textContent = 'not attacked yet'
    byId('changeSize', HTMLElement).textContent = '–'
    byId('bars', HTMLElement).replaceChildren()
  }

  function showScores(scores: readonly number[], { label, nameOf }: Pick<Subject, 'label' | 'nameOf'>): void {
    byId('bars', HTMLElement).replaceChildren(...bars(scores, label, nameOf))
  }

  function showFrame(frame: AttackFrame, subject: Subject): void {
    const { shape, pixels: original, label, called } = subject
    const largest = Math.max(1e-9, frame.linf)
    paint('changed', shape, frame.pixels, (pixel) => 255 * pixel)
    paint('change', shape, frame.pixels, (pixel, i) => 128 + (127 * (pixel - (original[i] as number))) / largest)
    const seen = called(frame.scores.indexOf(Math.max(...frame.scores)))
    byId('changedClass', HTMLElement).textContent = frame.margin < 0 ? `taken for ${seen}` : `still ${called(label)}`
    byId('changeSize', HTMLElement).textContent = `± ${distanceText(frame.linf)}, l₂ ${distanceText(frame.l2)}`
    showScores(frame.scores, subject)
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

  return { showOriginal, showScores, showFrame }
}

/** How an attack ended. */
export function conclusion({ first, queries, margin }: AttackFrame): string {
  if (!(margin < 0)) return `Withstood ${countText(queries)} queries.`
  return `Fooled after ${countText(first)} of ${countText(queries)} queries; the others made the change smaller.`
}

type Shade = (value: number, i: number) => number

function paint(id: string, shape: ImageShape, pixels: Float32Array, shade: Shade): void {
  paintOn(byId(id, HTMLCanvasElement), shape, pixels, shade)
}

/** Paints pixels, one channel after the other, in the bytes that `shade` gives. */
function paintOn(
  canvas: HTMLCanvasElement,
  { channels, height, width }: ImageShape,
  pixels: Float32Array,
  shade: Shade,
): void {
  canvas.width = width
  canvas.height = height
  const picture = new ImageData(width, height)
  const area = width * height
  for (let i = 0; i < area; i++) {
    for (let color = 0; color < 3; color++) {
      const at = (channels === 3 ? color * area : 0) + i
      picture.data[4 * i + color] = shade(pixels[at] as number, at)
    }
    picture.data[4 * i + 3] = 255
  }
  canvas.getContext('2d')?.putImageData(picture, 0, 0)
}

/** How sure the model is of each class, or of the likeliest. */
function bars(scores: readonly number[], label: number, nameOf: (index: number) => string): HTMLElement[] {
  const shares = sharesOf(scores)
  const all = [...scores.keys()]
  const shown =
    all.length <= mostBars
      ? all
      : all.sort((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, mostBars / 2)
  return shown.map((c) => {
    const [row, name, track, bar, text] = ['div', 'b', 'span', 'i', 'data'].map((tag) =>
      document.createElement(tag),
    ) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLDataElement]
    const share = shares[c] as number
    name.textContent = name.title = nameOf(c)
    bar.style.width = `${100 * share}%`
    bar.className = c === label ? 'true' : ''
    text.textContent = percentText(share)
    text.value = String(scores[c])
    text.title = `score ${scores[c]}`
    track.className = 'track'
    track.append(bar)
    row.append(name, track, text)
    return row
  })
}

/** What part of 1 each class has: scores that are such already stay as they are. */
export function sharesOf(scores: readonly number[]): readonly number[] {
  const sum = scores.reduce((total, score) => total + score, 0)
  if (scores.every((score) => score >= 0 && score <= 1) && Math.abs(sum - 1) < 1e-3) return scores
  const highest = Math.max(...scores)
  const weights = scores.map((score) => Math.exp(score - highest))
  const total = weights.reduce((all, weight) => all + weight, 0)
  return weights.map((weight) => weight / total)
}

/** The shape of the embedded digits. */
export const digitShape: ImageShape = { channels: 1, height: 28, width: 28 }

const area = digitShape.height * digitShape.width

/** The class of a digit. */
export function digitLabel(digit: number): number {
  return labelBytes[digit] as number
}

/** The pixels of a digit, from 0 to 1. */
export function digitPixels(digit: number): Float32Array {
  return Float32Array.from(pixelBytes.subarray(digit * area, (digit + 1) * area), (byte) => byte / 255)
}

/** A button for every digit. */
export function digitButtons(choose: (digit: number) => void): HTMLElement[] {
  return Array.from(labelBytes, (label, digit) => {
    const button = document.createElement('button')
    const canvas = document.createElement('canvas')
    button.type = 'button'
    button.ariaLabel = `digit ${digit + 1}, a ${label}`
    button.append(canvas)
    button.onclick = () => choose(digit)
    paintOn(canvas, digitShape, digitPixels(digit), (pixel) => 255 * pixel)
    return button
  })
}

/** Marks the button of the digit that is chosen; none where there is none. */
export function markDigit(buttons: HTMLElement, digit: number | undefined): void {
  for (const [i, button] of [...buttons.children].entries()) button.setAttribute('aria-pressed', String(i === digit))
}
