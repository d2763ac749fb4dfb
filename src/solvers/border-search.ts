import { centerValue } from '../core/answers.ts'
import { sampleDraw } from '../core/samples.ts'
import type { Answers, Begin, Queries, Search, Span, Vector } from '../core/types.ts'
import { distance, halfWay, stepDown, turnedNearer } from './border-moves.ts'
import { keptNumbers } from './kept-numbers.ts'
import { slopeMemory } from './slope-memory.ts'
import { withinSet } from './within-set.ts'

/** How a search along the border goes about it. */
export interface BorderSettings {
  /** Slopes per iteration on the way to a first success, and after it. */
  readonly directions: number
  readonly refinement: number
  /** How far probes lie from the point. */
  readonly smoothing: number
  /** The first step, per variable (root mean square), and what a step that led down is multiplied by. */
  readonly firstStep: number
  readonly growth: number
}

/** What is asked next: a step down, a point half-way back, slopes on the near side of the border, or a point on trial. */
const [approach, halve, look, attempt] = [0, 1, 2, 3]

/** Halvings between the last point that missed and the first that did not. */
const halvings = 4

/** Attempts with the same slopes, as long as they succeed. */
const attempts = 20

/** What a step that did not lead down is multiplied by. */
const backOff = 0.5

/** What the length of the probes is multiplied by where they find no slope at all. */
const wider = 4

/** How far an attempt turns from the way out to the way down (1 is all the way), and how that share adapts. */
const turning = { first: 0.5, largest: 0.9, more: 1.3, less: 0.9 }

/** How much nearer an attempt is than the best so far, and how that adapts: over look and look, and within one. */
const approaching = { first: 0.02, least: 1e-3, most: 0.1, more: 1.5, less: 0.8, mostAtOnce: 0.3 }

/**
 * Seeks the smallest value among the points that do what the objective is for (`Answers.reached`), where the values of
 * those grow with the distance from the start: a perturbation that fools a model, and is as small as can be.
 *
 * It goes down remembered slopes with growing steps until a point succeeds, and halves the last step a few times. Then it
 * walks along the border: slopes are taken just outside, where the loss still shows them; an attempt points from the start
 * to a direction between that of the best point and the steepest descent, a little less far. For a straight border the
 * steepest descent is the direction of its nearest point. Where the objective never says that a point succeeds, it goes
 * on down, taking back steps that lead up.
 */
export function borderSearch(at: Begin, span: Span, settings: BorderSettings): Search {
  const { dim, kernels, precision } = at
  const vector = (from: Vector): Vector => {
    const made = kernels.allocate(dim, precision)
    made.set(from)
    return made
  }
  const point = at.start
  const origin = vector(at.origin ?? point)
  /** The best point so far: of those that succeeded, once there is one. */
  const kept = vector(origin)
  /** The last point that missed. */
  const outside = vector(origin)
  const slopes = slopeMemory(at, span)
  const { gradient } = slopes
  const numbers = keptNumbers(at, {
    mode: approach,
    value: Number.NaN,
    step: settings.firstStep * Math.sqrt(dim),
    left: 0,
    turn: turning.first,
    nearer: approaching.first,
    nearerNow: approaching.first,
    improved: 0,
    finished: 0,
    probe: settings.smoothing,
    used: 0,
  })
  const enter = withinSet(at)
  const keep = (value: number): void => {
    kept.set(point)
    numbers.set('value', value)
  }

  const goDown = (): void => {
    stepDown(kernels, kept, gradient, numbers.get('step'), point)
    enter(point)
  }
  const goHalfWay = (): void => halfWay(kept, outside, point)
  const aim = (): void => {
    turnedNearer(kernels, { origin, kept, gradient }, numbers.get('turn'), numbers.get('nearerNow'), point)
    enter(point)
  }

  const lookFrom = (): void => {
    numbers.set('mode', look)
    point.set(outside)
  }
  const beginHalving = (value: number): void => {
    outside.set(kept)
    keep(value)
    // A start that succeeds is as near as can be.
    if (distance(kept, origin) === 0) numbers.set('finished', 1)
    numbers.set('mode', halve)
    numbers.set('left', halvings)
    goHalfWay()
  }
  const beginAttempts = (): void => {
    numbers.set('mode', attempt)
    numbers.set('left', attempts)
    numbers.set('nearerNow', numbers.get('nearer'))
    numbers.set('improved', 0)
    aim()
  }

  const afterStep = (answers: Answers, value: number): void => {
    if (answers.reached === true) return beginHalving(value)
    const { round } = slopes
    slopes.learn(answers, numbers.get('probe'), asked() - 1)
    // A whole round without any slope: what there is lies further away.
    const isFlat = slopes.round > round && kernels.dot(gradient, gradient) === 0
    if (isFlat) numbers.set('probe', numbers.get('probe') * wider)
    const hasMoved = distance(point, kept) > 0
    // Along a plateau it goes on, too; where no slope is known yet the point has not moved, and its step is not to blame.
    const isDown = hasMoved ? !(value > numbers.get('value')) : !(value >= numbers.get('value'))
    const factor = isDown ? settings.growth : hasMoved ? backOff : 1
    if (isDown) keep(value)
    numbers.set('step', numbers.get('step') * factor)
    goDown()
  }
  const afterHalving = (isReached: boolean, value: number): void => {
    if (isReached) keep(value)
    else outside.set(point)
    halveOn()
  }
  const afterLook = (answers: Answers, value: number): void => {
    if (answers.reached !== true) slopes.learn(answers, numbers.get('probe'), asked() - 1)
    else if (value < numbers.get('value')) keep(value)
    beginAttempts()
  }
  const afterAttempt = (isReached: boolean, value: number): void => {
    numbers.set('left', numbers.get('left') - 1)
    if (isReached && value < numbers.get('value')) {
      keep(value)
      numbers.set('improved', 1)
      numbers.set('turn', Math.min(turning.largest, numbers.get('turn') * turning.more))
      numbers.set('nearerNow', Math.min(approaching.mostAtOnce, numbers.get('nearerNow') * 2))
      if (numbers.get('left') > 0) return aim()
    } else if (!isReached) outside.set(point)
    adapt(numbers.get('improved') === 1)
    lookFrom()
  }
  const adapt = (isBetter: boolean): void => {
    const { least, most, more, less } = approaching
    const nearer = numbers.get('nearer') * (isBetter ? more : less)
    numbers.set('nearer', Math.min(most, Math.max(least, nearer)))
    if (!isBetter) numbers.set('turn', numbers.get('turn') * turning.less)
  }

  /** Rows of the next iteration. */
  const asked = (): number => {
    const mode = numbers.get('mode')
    if (mode === approach) return 1 + Math.min(settings.directions, span.dim)
    if (mode !== look) return 1
    // As many as are left, with one query kept for the last point.
    const left = (at.budget.maxQueries ?? Infinity) - numbers.get('used') - 1
    return Math.max(1, Math.min(1 + settings.refinement, 1 + span.dim, left))
  }
  const key = { seed: at.seed, iteration: 0 }
  const draw = sampleDraw(1, at.population)
  const queries: Queries = {
    key,
    dim,
    centers: 1,
    get rows() {
      return asked()
    },
    sample: () => draw.at(key, 0),
    write(row, into, offset = 0) {
      if (row === 0) into.set(point, offset)
      else slopes.write(point, numbers.get('probe'), row - 1, into, offset)
    },
  }

  return {
    point,
    memory: { point, origin, kept, outside, search: numbers.words, ...slopes.memory },
    iteration: 0,
    centers: 1,
    get rows() {
      return asked()
    },
    get answer() {
      return Number.isNaN(numbers.get('value')) ? point : kept
    },
    get finished() {
      return numbers.get('finished') === 1 ? ('converged' as const) : undefined
    },
    ask() {
      key.iteration = this.iteration + 1
      return queries
    },
    tell(answers) {
      this.iteration++
      const value = centerValue(answers, 1)
      const mode = numbers.get('mode')
      const rows = asked()
      if (mode === approach) afterStep(answers, value)
      else if (mode === halve) afterHalving(answers.reached === true, value)
      else if (mode === look) afterLook(answers, value)
      else afterAttempt(answers.reached === true, value)
      numbers.set('used', numbers.get('used') + rows)
      return true
    },
    skip() {
      this.iteration++
      numbers.set('used', numbers.get('used') + asked())
      // A point that brings no value is given up, and never gone on from.
      const mode = numbers.get('mode')
      if (mode === approach) stepBack()
      else if (mode === halve) halveOn()
      else if (mode === look) beginAttempts()
      else lookFrom()
    },
  }

  function halveOn(): void {
    numbers.set('left', numbers.get('left') - 1)
    if (numbers.get('left') > 0) goHalfWay()
    else lookFrom()
  }

  function stepBack(): void {
    numbers.set('step', numbers.get('step') * backOff)
    goDown()
  }
}
