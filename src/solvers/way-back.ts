import type { Answers, Begin, Memory, Queries, Search, Solver, Vector } from '../core/types.ts'
import { copyOf, onePoint } from './current-point.ts'
import { intoSet } from './into-set.ts'

/**
 * Goes back from where it begins, a point that has reached what the objective is for, towards an origin that has not:
 * halves the distance `queries` times and ends at the nearest point that has reached it, too. Asks one point an iteration
 * and goes by `Answers.reached` alone.
 */
export function wayBack(origin: Vector, queries: number): Solver {
  return { begin: (at) => new Bisection(at, origin, queries) }
}

/** As shares of the way from the origin: 0 has not reached it, `reached` has. */
type Way = { missed: number; reached: number; asked: number }

class Bisection implements Search {
  readonly point: Vector
  readonly memory: Memory
  iteration = 0
  readonly rows = 1
  readonly centers = 1
  readonly #origin: Vector
  readonly #far: Vector
  readonly #queries: number
  readonly #way: Way = { missed: 0, reached: 1, asked: 0 }
  readonly #enter: (x: Vector) => void
  readonly #asking: (iteration: number) => Queries

  constructor(at: Begin, origin: Vector, queries: number) {
    this.point = at.start
    this.#origin = origin
    this.#far = copyOf(at, this.point)
    this.#queries = queries
    this.#enter = intoSet(at)
    this.#asking = onePoint(at, this.point)
    this.memory = { vectors: { point: this.point, far: this.#far }, state: this.#way }
    this.#moveTo(middle(this.#way))
  }

  get finished(): 'converged' | undefined {
    return this.#way.asked === this.#queries ? 'converged' : undefined
  }

  ask(): Queries {
    return this.#asking(this.iteration + 1)
  }

  tell({ reached }: Answers): boolean {
    this.iteration++
    this.#halve(reached === true)
    return true
  }

  skip(): void {
    this.iteration++
    this.#halve(false)
  }

  #halve(isReached: boolean): void {
    const way = this.#way
    way[isReached ? 'reached' : 'missed'] = middle(way)
    way.asked++
    if (way.asked < this.#queries) this.#moveTo(middle(way))
    else if (way.reached === 1) this.point.set(this.#far)
    else this.#moveTo(way.reached)
  }

  #moveTo(share: number): void {
    for (let i = 0; i < this.point.length; i++) {
      const from = this.#origin[i] as number
      this.point[i] = from + share * ((this.#far[i] as number) - from)
    }
    this.#enter(this.point)
  }
}

function middle({ missed, reached }: Way): number {
  return (missed + reached) / 2
}
