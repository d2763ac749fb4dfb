import type { Begin, Vector } from '../core/types.ts'
import { type Batch, currentPoint, onlyPoint } from '../staged/staged-search.ts'
import { copyOf } from './current-point.ts'
import { withinSet } from './within-set.ts'

/** Asks whether points succeed, and counts what it asks. */
export class LabelOracle {
  /** The point that is asked next. */
  readonly trial: Vector
  /** Queries of the stage at work. */
  asked = 0
  /** Whether the attack has limits, outside of which no success counts. */
  readonly isLimited: boolean
  readonly #at: Begin
  readonly #goal: number

  constructor(at: Begin, goal: number) {
    this.trial = copyOf(at, at.start)
    this.isLimited = at.attack?.linf !== undefined || at.attack?.l2 !== undefined
    this.#at = at
    this.#goal = goal
  }

  /** Whether a success there counts. */
  allows(x: Vector): boolean {
    return !this.isLimited || this.#at.set.contains(x)
  }

  isSuccess(value: number): boolean {
    return value < this.#goal
  }

  /** Asks the trial, as the current point where its success counts. */
  *succeeds(): Generator<Batch, boolean, Float64Array> {
    this.asked++
    const [value] = yield this.allows(this.trial) ? currentPoint(this.trial) : onlyPoint(this.trial)
    return this.isSuccess(value as number)
  }

  /** Asks several points, each written into the trial; none of them counts. */
  *answers(rows: number, write: (row: number) => void): Generator<Batch, Float64Array, Float64Array> {
    this.asked += rows
    return yield {
      rows,
      write: (row, into, offset) => {
        write(row)
        into.set(this.trial, offset)
      },
    }
  }
}

/** Brings points to where they make pictures, whatever the limits; into the set where that is not known. */
export function withinPictures(at: Begin): (x: Vector) => void {
  const pictures = at.attack?.pictures
  return pictures === undefined ? withinSet(at) : withinSet({ ...at, set: { ...at.set, bounds: () => pictures } })
}
