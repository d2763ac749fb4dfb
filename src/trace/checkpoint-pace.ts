/** What a checkpoint took. */
export interface CheckpointCost {
  /** Milliseconds in which the loop stood still. */
  readonly busy: number
  readonly bytes: number
}

/** Milliseconds between checkpoints at least; and they take at most one part in so many of the time. */
const leastInterval = 2000
const share = 50
/** Bytes in a millisecond that checkpoints write at most, on average: what a resume saves is not worth more. */
const bytesPerMillisecond = 4000

/** How often checkpoints are written: those of all runs that share a pace take 2 % of the time, and 4 MB a second. */
export class CheckpointPace {
  #runs = 0

  enter(): void {
    this.#runs++
  }

  leave(): void {
    this.#runs--
  }

  /** Milliseconds from the end of a checkpoint to the next one of the same run. */
  interval({ busy, bytes }: CheckpointCost): number {
    const runs = Math.max(1, this.#runs)
    return Math.max(leastInterval, share * busy * runs, (bytes / bytesPerMillisecond) * runs)
  }
}
