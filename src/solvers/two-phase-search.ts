import { centerValue } from '../core/answers.ts'
import { differ } from '../core/differ.ts'
import { namedMemory } from '../core/named-memory.ts'
import type { Answers, Begin, Memory, Search, Solver, Vector } from '../core/types.ts'
import { keptNumbers } from './kept-numbers.ts'
import { wayBack } from './way-back.ts'
import { withinSet } from './within-set.ts'

/** The options of a two-phase solver. */
interface Settings {
  readonly first: Solver
  readonly second: Solver
  readonly patience?: number | undefined
  readonly shrink: number
  readonly pull: number
  /** Whether the first method is left out where the objective does not say what it is for. */
  readonly needsGoal?: true
}

/** In the order in which they work; the names stand in checkpoints. */
const names = ['first', 'back', 'second'] as const
const [first, back, second] = [0, 1, 2]

/** A first method until it succeeds, the way back, and a second method, as one search with one count of iterations. */
export function twoPhaseSearch(at: Begin, settings: Settings): Search {
  const vector = (from: Vector): Vector => {
    const made = at.kernels.allocate(at.dim, at.precision)
    made.set(from)
    return made
  }
  const origin = (at.origin ?? at.start).slice()
  const solvers = [settings.first, wayBack(origin, settings.shrink), settings.second]
  const warn = once(at.warn)
  /** Begins a phase with what the ones before it, which asked so many queries, have left of the budget. */
  const beginAt = (phase: number, from: Vector, before: number): Search => {
    const { maxQueries = Infinity } = at.budget
    const budget = { ...at.budget, maxQueries: Number.isFinite(maxQueries) ? maxQueries - before : undefined }
    return (solvers[phase] as Solver).begin({ ...at, budget, start: vector(from), origin, warn })
  }
  // All begin here, so that a checkpoint finds room for what any of them remembers; the later ones begin again.
  const searches = names.map((_, phase) => beginAt(phase, at.start, 0))
  /** The best point so far: of those that succeeded, once there is one. */
  const best = vector(at.start)
  /** Where the phase at work began. */
  const from = vector(at.start)
  const numbers = keptNumbers(at, { phase: first, asked: 0, before: 0, best: Number.NaN, reached: 0, goalless: 0 })
  const intoSet = withinSet(at)
  const patience = settings.patience ?? usualPatience(at, searches[first] as Search)
  let iteration = 0
  /** The phase whose search has begun where it should: behind the one at work only in a run that is being taken up. */
  let begun = first
  const working = (): Search => searches[numbers.get('phase')] as Search

  const enter = (phase: number): void => {
    numbers.set('phase', phase)
    numbers.set('before', numbers.get('asked'))
    begin(phase)
  }
  const begin = (phase: number): void => {
    begun = phase
    searches[phase] = beginAt(phase, from, numbers.get('before'))
    working().iteration = iteration
  }
  /** A run that is taken up: the search begins where it began and is given back what it remembered. */
  const takeUp = (): void => {
    const remembered = working().memory
    begin(numbers.get('phase'))
    for (const [name, each] of Object.entries(working().memory)) each.set(remembered[name] as Vector)
  }
  const note = (answers: Answers): void => {
    const { centers, rows, point } = working()
    numbers.set('asked', numbers.get('asked') + rows)
    const value = centerValue(answers, centers)
    const isReached = answers.reached === true
    const isFirst = isReached && numbers.get('reached') === 0
    const isBetter = !(value >= numbers.get('best')) && (isReached || numbers.get('reached') === 0)
    if (Number.isNaN(value) || !(isFirst || isBetter)) return
    best.set(point)
    numbers.set('best', value)
    if (isReached) numbers.set('reached', 1)
  }
  const leaveFirst = (isReached: boolean): void => {
    const isOut = numbers.get('goalless') === 1 || (numbers.get('asked') >= patience && isAffordable())
    if (!isReached && working().finished === undefined && !isOut) return
    // A method that does not ask for its own points has nothing better to hand over than the last of them.
    from.set(Number.isNaN(numbers.get('best')) ? working().point : best)
    enter(isReached && settings.shrink > 0 && differ(from, origin) ? back : second)
  }
  /** Whether the budget leaves the second method an iteration. */
  const isAffordable = (): boolean => {
    const { rows } = searches[second] as Search
    const left = (at.budget.maxQueries ?? Infinity) - numbers.get('asked')
    return !(left < rows + 1)
  }
  const leaveBack = (): void => {
    if (working().finished === undefined) return
    from.set(working().point)
    enter(second)
  }
  /** Success leaves room: a part of the way back that no query is needed for. Points on trial are left where they are. */
  const pullBack = (): void => {
    const { point, answer } = working()
    if (answer !== undefined) return
    for (let i = 0; i < at.dim; i++) {
      const start = origin[i] as number
      point[i] = start + (1 - settings.pull) * ((point[i] as number) - start)
    }
    intoSet(point)
  }
  /** After an iteration: on with the same method, or with the next. */
  const turn = (isReached: boolean): void => {
    iteration = working().iteration
    if (numbers.get('phase') === first) leaveFirst(isReached)
    else if (numbers.get('phase') === back) leaveBack()
    else if (isReached && settings.pull > 0) pullBack()
  }

  return {
    get point() {
      return working().point
    },
    get memory() {
      const own: Memory = { point: working().point, best, from, phase: numbers.words }
      return Object.assign(
        own,
        ...searches.map(({ memory }, phase) => namedMemory(names[phase] as string, memory)),
      ) as Memory
    },
    get iteration() {
      return iteration
    },
    set iteration(value) {
      iteration = value
      if (begun !== numbers.get('phase')) takeUp()
      working().iteration = value
    },
    get rows() {
      return working().rows
    },
    get centers() {
      return working().centers
    },
    get samples() {
      return working().samples ?? Math.max(working().centers, 1)
    },
    get answer() {
      return numbers.get('reached') === 1 ? best : working().answer
    },
    get finished() {
      return numbers.get('phase') === second ? working().finished : undefined
    },
    ask: () => working().ask(),
    tell(answers) {
      note(answers)
      if (settings.needsGoal === true && answers.reached === undefined) numbers.set('goalless', 1)
      const isMoved = working().tell(answers)
      turn(answers.reached === true)
      return isMoved
    },
    skip() {
      numbers.set('asked', numbers.get('asked') + working().rows)
      working().skip()
      turn(false)
    },
  }
}

/** Queries without success after which the first method gives way: a quarter of those there are. */
function usualPatience(
  { budget: { maxQueries = Infinity, maxIterations = Infinity } }: Begin,
  { rows }: Search,
): number {
  const queries = Math.min(maxQueries, maxIterations * rows)
  return Math.ceil((Number.isFinite(queries) ? queries : unlimited) / 4)
}

/** Queries that a run is taken to have where only time limits it. */
const unlimited = 10_000

/** Says the same thing once, however often a part begins. */
function once(warn: (message: string) => void): (message: string) => void {
  const said = new Set<string>()
  return (message) => {
    if (!said.has(message)) warn(message)
    said.add(message)
  }
}
