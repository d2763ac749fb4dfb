import { attackProblem, constrained } from '../src/attacks/index.ts'
import { minimize, type Solver, signHunter, simba, square, zeroth, zoAdaMM } from '../src/index.ts'
import type { Model } from '../src/models/index.ts'

/** What is attacked, and how. */
export interface AttackTask {
  readonly pixels: Float32Array
  readonly label: number
  readonly attack: string
  /** How far each pixel may change. */
  readonly limit: number
  readonly queries: number
  readonly seed: number
}

/** The best picture so far: that which nearly fools, or fools with the smallest change. */
export interface AttackFrame {
  readonly queries: number
  readonly pixels: Float32Array
  readonly scores: readonly number[]
  /** The score of the true class above that of the next: below 0 the model is fooled. */
  readonly margin: number
  /** The query that first fooled; 0 while none has. */
  readonly first: number
  readonly l2: number
  readonly linf: number
  /** The course of the smallest margin. */
  readonly course: readonly (readonly [queries: number, margin: number])[]
  readonly isLast: boolean
}

const solvers: Readonly<Record<string, (limit: number) => Solver>> = {
  square: (limit) => square({ radius: limit }),
  'sign-hunter': (limit) => signHunter({ radius: limit }),
  simba: (limit) => simba({ step: limit }),
  zeroth: () => zeroth(),
  'zo-adamm': () => zoAdaMM({ learningRate: { value: 0.02 }, smoothing: 0.005 }),
}

/** Attacks one digit and shows every picture that is better than those before. */
export async function attackDigit(model: Model, task: AttackTask, show: (frame: AttackFrame) => void): Promise<void> {
  const { pixels: original, label, limit, seed } = task
  let [queries, first, best] = [0, 0, Infinity]
  let frame: AttackFrame | undefined
  const course: [number, number][] = []
  const watched: Model = {
    ...model,
    predict(images, into) {
      model.predict(images, into)
      for (let row = 0; row < images.rows; row++) {
        queries++
        const pixels = new Float32Array(original.length)
        images.write(row, pixels)
        const scores = Array.from(into.subarray(row * model.classes, (row + 1) * model.classes))
        const margin = marginAsFile(model, pixels, scores, label)
        const { l2, linf } = changeOf(original, pixels)
        if (margin < 0 && first === 0) first = queries
        // Whatever fools is better than whatever does not; among those that fool, the smaller change.
        const rank = margin < 0 ? l2 - 1e6 : margin
        if (rank >= best || linf > limit + 1e-6) continue
        best = rank
        course.push([queries, Math.min(margin, course.at(-1)?.[1] ?? margin)])
        frame = { queries, pixels, scores, margin, first, l2, linf, course, isLast: false }
        show(frame)
      }
    },
  }
  const form = constrained({ linf: limit })
  const { objective, start, set, shape } = attackProblem(watched, [{ pixels: original, label }], { form })
  const solver = (solvers[task.attack] ?? solvers.square)?.(limit)
  if (solver === undefined) return
  await minimize(objective, start, { solver, set, shape, seed, maxQueries: task.queries })
  if (frame === undefined) return
  show({ ...frame, queries, course: [...course, [queries, course.at(-1)?.[1] ?? 0]], isLast: true })
}

/** The margin; where it says that the model is fooled, that of the picture as a file of 8 bits, which must fool, too. */
function marginAsFile(model: Model, pixels: Float32Array, scores: ArrayLike<number>, label: number): number {
  const margin = marginOf(scores, label)
  if (margin >= 0) return margin
  const saved = new Float32Array(model.classes)
  const bytes = pixels.map((pixel) => Math.round(255 * Math.max(0, Math.min(1, pixel))) / 255)
  model.predict({ rows: 1, write: (_row, into) => into.set(bytes) }, saved)
  return marginOf(saved, label)
}

function marginOf(scores: ArrayLike<number>, label: number): number {
  let next = -Infinity
  for (let c = 0; c < scores.length; c++) if (c !== label) next = Math.max(next, scores[c] as number)
  return (scores[label] as number) - next
}

function changeOf(original: Float32Array, pixels: Float32Array): { l2: number; linf: number } {
  let [squares, linf] = [0, 0]
  for (let i = 0; i < pixels.length; i++) {
    const change = Math.abs((pixels[i] as number) - (original[i] as number))
    squares += change * change
    linf = Math.max(linf, change)
  }
  return { l2: Math.sqrt(squares), linf }
}
