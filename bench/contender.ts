/** One piece of work: so many iterations of ZO-AdaMM without its objective. */
export interface Work {
  readonly dim: number
  readonly directions: number
  readonly iterations: number
}

/** One way to do the work. */
export interface Variant {
  readonly label: string
  /** Milliseconds per iteration. Buffers stay until another dimension is asked for. */
  time(work: Work): Promise<number>
}

/** What is compared: the fastest of its variants counts. */
export interface Contender {
  readonly name: string
  /** What it is, with its version where it has one. */
  readonly title: string
  readonly variants: readonly Variant[]
  close(): void
}

/** The settings of ZO-AdaMM that all contenders share; the peers in bench/peers repeat them. */
export const settings = { directions: 10, smoothing: 0.005, learningRate: 0.01, lower: -0.5, upper: 0.5 } as const
