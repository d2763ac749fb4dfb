import { minimize, nearestBoundary, type Solver, signHunter, simba, square, strongest, zoAdaMM } from '../src/index.ts'
import { bytePicture, changeOf, distortionBetween } from '../src/robustness/formulation.ts'
import { attackProblem, constrained } from '../src/robustness/index.ts'
import type { Images, Model } from '../src/robustness/models/index.ts'

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
  strongest: () => strongest(),
  square: (limit) => square({ radius: limit }),
  'sign-hunter': (limit) => signHunter({ radius: limit }),
  simba: (limit) => simba({ step: limit }),
  'nearest-boundary': () => nearestBoundary(),
  'zo-adamm': () => zoAdaMM({ learningRate: { value: 0.02 }, smoothing: 0.005 }),
}

/** What float32 pixels may be off by. */
const roundoff = 1e-6

/** Whatever fools is better than whatever does not; among those that fool, the smaller change. */
const fooledRank = -1e6

/** Milliseconds between two pictures that are shown: at least, and at most, so that a slow model is seen to work. */
const [frameTime, longestTime] = [40, 500]

/** Attacks one image and shows the best picture so far, now and then and at the end. */
export async function attackImage(model: Model, task: AttackTask, show: (frame: AttackFrame) => void): Promise<void> {
  const { pixels: original, label, limit, seed } = task
  let [queries, first, best] = [0, 0, Infinity]
  let frame: AttackFrame | undefined
  let shown = -Infinity
  const course: [number, number][] = []

  const look = async (pixels: Float32Array, scores: readonly number[], asked: number): Promise<void> => {
    const { l2, linf } = distortionBetween(pixels, original)
    const margin = marginOf(scores, label)
    const isWorse = !((margin < 0 ? fooledRank + l2 : margin) < best)
    if (linf > limit + roundoff || isWorse) return
    const seen = margin < 0 ? await asFile(pixels) : { pixels, scores, margin, l2, linf }
    const rank = seen.margin < 0 ? fooledRank + seen.l2 : seen.margin
    if (seen.margin < 0 && first === 0) first = asked
    if (!(rank < best)) return
    best = rank
    course.push([asked, Math.min(seen.margin, course.at(-1)?.[1] ?? seen.margin)])
    frame = { queries: asked, ...seen, first, course, isLast: false }
    showAfter(frameTime)
  }

  const showAfter = (time: number): void => {
    if (frame === undefined || performance.now() - shown < time) return
    shown = performance.now()
    show({ ...frame, queries })
  }

  /** The picture as a file of 8 bits holds it: that must fool, too. */
  const asFile = async (pixels: Float32Array) => {
    const bytes = bytePicture(original, changeOf(pixels, original), 1, { linf: limit, allows: problem.allows }).pixels
    const scores = await scoresOf(model, bytes)
    const { l2, linf } = distortionBetween(bytes, original)
    return { pixels: bytes, scores, margin: marginOf(scores, label), l2, linf }
  }

  const watched: Model = {
    ...model,
    async predict(images, into, signal) {
      await model.predict(images, into, signal)
      for (let row = 0; row < images.rows; row++) {
        const pixels = new Float32Array(original.length)
        images.write(row, pixels)
        queries++
        await look(pixels, Array.from(into.subarray(row * model.classes, (row + 1) * model.classes)), queries)
        showAfter(longestTime)
      }
    },
  }
  const problem = attackProblem(watched, [{ pixels: original, label }], { formulation: constrained({ linf: limit }) })
  const { objective, start, set, shape, attack } = problem
  const solver = (solvers[task.attack] ?? solvers.square)?.(limit)
  if (solver === undefined) return
  await minimize(objective, start, { solver, set, shape, attack, seed, maxQueries: task.queries })
  if (frame === undefined) throw new Error('the model gave no scores that are numbers')
  show({ ...frame, queries, course: [...course, [queries, course.at(-1)?.[1] ?? 0]], isLast: true })
}

/** What a model says to one picture. */
export async function scoresOf(model: Model, pixels: Float32Array): Promise<number[]> {
  const scores = new Float32Array(model.classes)
  const images: Images = { rows: 1, write: (_row, into, offset = 0) => into.set(pixels, offset) }
  await model.predict(images, scores)
  return Array.from(scores)
}

function marginOf(scores: ArrayLike<number>, label: number): number {
  let next = -Infinity
  for (let c = 0; c < scores.length; c++) if (c !== label) next = Math.max(next, scores[c] as number)
  return (scores[label] as number) - next
}
