import { fitted, millisecondsText } from '../../src/app/cli/terminal.ts'
import { countText } from '../../src/app/report/number-text.ts'
import type { Cell } from './tables/index.ts'

/** A cell in progress: how much of it earlier sessions had done, and how much is done now. */
interface Begun {
  readonly from: number
  readonly share: number
}

/** The line about cells in progress. */
export interface CellLine {
  /** The share of a cell that is done, from 0 to 1; first reported before this session has done any of it. */
  progress(cell: Cell, share: number): void
  done(cell: Cell): void
  text(width?: number): string
}

/** Says how many cells are done, how much of all of them, and how long the rest takes at the pace of this session. */
export function cellLine(before: number, missing: readonly Cell[], clock: () => number): CellLine {
  const began = clock()
  const total = missing.reduce((sum, { calls }) => sum + calls, 0)
  const begun = new Map<Cell, Begun>()
  // Images classified for the cells that are done, and those of them that were there already.
  let [count, calls, found] = [0, 0, 0]
  const sumOf = (share: (each: Begun) => number): number =>
    [...begun].reduce((sum, [cell, each]) => sum + share(each) * cell.calls, 0)

  return {
    progress(cell, share) {
      begun.set(cell, { from: begun.get(cell)?.from ?? share, share })
    },
    done(cell) {
      count++
      calls += cell.calls
      found += (begun.get(cell)?.from ?? 0) * cell.calls
      begun.delete(cell)
    },
    text(width = Infinity) {
      const classified = Math.round(calls + sumOf(({ share }) => share))
      const own = classified - found - sumOf(({ from }) => from)
      const left = ((clock() - began) / own) * (total - classified)
      return fitted(
        [
          { text: `attacks ${countText(before + count)} of ${countText(before + missing.length)}`, weight: 6 },
          { text: `${countText(classified)} of ${countText(total)} images classified`, weight: 3 },
          { text: own >= 1 ? `about ${millisecondsText(left)} left of this part` : '', weight: 4 },
        ],
        width,
      )
    },
  }
}
