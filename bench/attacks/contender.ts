import type { ScreenedImage } from '../../src/robustness/index.ts'
import type { Cell, CellKind } from './cells.ts'
import type { Network } from './network.ts'
import type { Account } from './tracker.ts'

/** What a method is asked to do: the images of a cell that it has not attacked yet, with one seed. */
export interface Round {
  readonly cell: Cell
  readonly network: Network
  readonly images: readonly ScreenedImage[]
  readonly seed: number
  /** Milliseconds that an image may take. */
  readonly timeLimit: number
  /** Called after each image. */
  done(image: number, ending: Ending): void
}

/** How an attack on one image ended. */
export interface Ending extends Account {
  readonly seconds: number
  readonly note: string
}

/** A method under comparison. */
export interface Contender {
  readonly name: string
  /** Methods of this library come first in tables. */
  readonly own: boolean
  readonly version: string
  /** What it is run for. */
  readonly kinds: readonly CellKind[]
  /** Whether two seeds give two results. */
  readonly random: boolean
  run(round: Round): Promise<void>
  close(): void
}
