/** One iteration as the session saw it. */
export interface HistoryRecord {
  /** Its number, from 1. */
  readonly iteration: number
  /** Queries answered when the iteration was complete. */
  readonly queries: number
  /** The value at the point of the iteration; NaN where it was not asked or not answered. */
  readonly value: number
  /** The best value so far; NaN before the first. */
  readonly best: number
}

/**
 * A history of bounded length: when it is full, every second record goes and the spacing doubles. Always holds the
 * latest record, and never depends on when it is looked at.
 */
export class History<Kept extends HistoryRecord = HistoryRecord> {
  readonly #limit: number
  #records: Kept[] = []
  #latest: Kept | undefined
  #spacing = 1

  constructor(limit: number, saved: readonly Kept[] = [], spacing = 1) {
    this.#limit = limit
    this.#spacing = spacing
    this.#latest = saved.at(-1)
    this.#records = saved.filter((record) => this.#fits(record))
  }

  get spacing(): number {
    return this.#spacing
  }

  add(record: Kept): void {
    this.#latest = record
    if (!this.#fits(record)) return
    this.#records.push(record)
    while (this.#records.length > this.#limit) {
      this.#spacing *= 2
      this.#records = this.#records.filter((each) => this.#fits(each))
    }
  }

  /** The records kept, oldest first. */
  records(): Kept[] {
    const last = this.#records.at(-1)
    return this.#latest === undefined || last === this.#latest ? [...this.#records] : [...this.#records, this.#latest]
  }

  #fits(record: HistoryRecord): boolean {
    return (record.iteration - 1) % this.#spacing === 0
  }
}
