import type { ImageShape } from '../../../src/index.ts'
import type { AttackReport } from '../../../src/robustness/index.ts'
import type { PaperFigure } from '../page/figures.ts'
import type { PaperTable } from '../page/paper-table.ts'
import type { Plan } from './plan.ts'

/** What JSON can hold: a cell is plain data, so that another process can run it. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain }

/** One attack of the reproduction. Cells of the same name are the same attack, whichever experiments want it: it is made once. */
export interface Cell {
  readonly name: string
  /** The attack as `zeroth attack` takes it. */
  readonly spec: { readonly [key: string]: Plain }
  /** Iterations at which a universal perturbation is kept. */
  readonly snapshots?: readonly number[]
  /** Images the model classifies for it, about. */
  readonly calls: number
  /** A file with images of it that were attacked before, and are not attacked again. */
  readonly begun?: string
  /** Cells with a larger number wait for those with a smaller one; 0 if left out. */
  readonly order?: number
}

/** The results of the cells, read from their folders. */
export interface Results {
  /** Undefined where a cell has not come to its end. */
  report(cell: Cell): AttackReport | undefined
  /** A file with images of a cell that were attacked for an earlier reproduction. */
  begun?(cell: Cell): string | undefined
  /** A universal perturbation as it was at an iteration. */
  snapshot(cell: Cell, iteration: number): Float32Array | undefined
  /** A saved picture, as PNG. */
  picture(cell: Cell, file: string): Uint8Array | undefined
  shape(cell: Cell): ImageShape | undefined
  classNames(cell: Cell): readonly string[] | undefined
}

/** What an experiment shows. */
export interface Drawing {
  readonly tables?: readonly PaperTable[]
  readonly figures?: readonly PaperFigure[]
  /** Results, in a sentence each. */
  readonly findings?: readonly string[]
  /** Pictures as files of their own. */
  readonly pictures?: Readonly<Record<string, Uint8Array>>
  /** What a reader must know: the paper's errors, what differs here. */
  readonly remarks?: readonly string[]
}

/** A table or a figure of the paper. */
export interface Experiment {
  readonly name: string
  readonly title: string
  /** The attacks it needs as far as they can be told: some depend on the results of others, and come when those are there. */
  cells(plan: Plan, results: Results): readonly Cell[]
  /** Made from saved results alone; what is missing is left out. */
  draw(plan: Plan, results: Results): Drawing
}
