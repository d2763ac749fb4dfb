import type { Bounds, ConvexSet, Vector } from '../core/types.ts'
import type { RowPair, RowSizes } from '../kernels/row-pair.ts'
import type { AttackLimits, Distortion } from './records.ts'

/** A way to state an attack as a minimisation: what the variables are, where they may lie, which images they mean. */
export interface AttackForm {
  /** The attack on these images, which have the same size, pixels from 0 to 1. Variables of 0 mean the images themselves. */
  begin(originals: readonly Float32Array[]): PosedAttack
}

/** A form applied to its images. */
export interface PosedAttack {
  readonly dim: number
  readonly set: ConvexSet
  /** Writes the picture x' that `variables` make of an original x; returns ||x' - x||^2, added up in float64. */
  paint(variables: Vector, original: number, into: Vector, offset: number): number
  /**
   * Room for two rows of float32 variables whose pictures are painted at once; there where that costs less. It is shared by all
   * attacks: write the rows and paint them before anything else has its turn.
   */
  pair?(): PaintedPair
  /** The variables that make another picture of an original, where there are any. */
  variablesOf?(picture: Float32Array, original: number): Float64Array
  /** All norms of x' - x. */
  distortion(variables: Vector, original: number): Distortion
  /** How much a pixel changes with its variable, at the most; 1 if left out. */
  readonly gain?: number | undefined
  /** Where the variables make pictures, whatever the limits; anywhere if left out. */
  readonly pictures?: Bounds | undefined
  /** The limits of the attack, where it has any. */
  readonly limits?: AttackLimits | undefined
  /** True where `paint` returns the squared length of the variables themselves. */
  readonly addsSquares?: true | undefined
  /** Whether a change of that size is within the limits of the attack, where it has any. */
  allows?(distortion: Distortion): boolean
}

/** How pictures are made of two rows of variables. */
export interface PaintedPair {
  /** Where rows may be written that have no place of their own. */
  readonly rows: PairOfRows
  /** Paints both, the second right behind the first; `sizes` gets what is known of their changes, at `at` and behind it. */
  paint(original: number, rows: PairOfRows, into: Float32Array, offset: number, sizes: RowSizes, at: number): void
  /** Paints one. */
  paintOne(original: number, row: Float32Array, into: Float32Array, offset: number, sizes: RowSizes, at: number): void
}

type PairOfRows = readonly [Float32Array, Float32Array]

/** How pictures of these originals are made by kernels. */
export function paintedPair({ rows, paint, paintOne }: RowPair, originals: readonly Float32Array[]): PaintedPair {
  const pixels = (original: number): Float32Array => originals[original] as Float32Array
  return {
    rows,
    paint: (original, ...given) => paint(pixels(original), ...given),
    paintOne: (original, ...given) => paintOne(pixels(original), ...given),
  }
}

/** The norms of the difference between a picture and its original. */
export function distortionBetween(picture: Vector, original: Vector): Distortion {
  let l2sq = 0
  let linf = 0
  for (let i = 0; i < original.length; i++) {
    const difference = (picture[i] as number) - (original[i] as number)
    l2sq += difference * difference
    linf = Math.max(linf, Math.abs(difference))
  }
  return { l2sq, l2: Math.sqrt(l2sq), linf }
}
