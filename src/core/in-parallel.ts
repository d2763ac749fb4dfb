import { abandoned, dropFrom, endsAt } from './answers.ts'
import type { Answers } from './types.ts'

/**
 * Does pieces of work 0, 1, 2, ... with at most `width` under way, as long as `mayBegin` lets another begin. After an error
 * none begins; it is thrown once nothing is under way any more.
 */
export async function inParallel(
  count: number,
  width: number,
  work: (piece: number) => Promise<void>,
  mayBegin: () => boolean = () => true,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    try {
      while (next < count && mayBegin()) await work(next++)
    } catch (error) {
      next = count
      throw error
    }
  }
  const settled = await Promise.allSettled(Array.from({ length: Math.min(width, count) }, lane))
  const broken = settled.find((each) => each.status === 'rejected')
  if (broken !== undefined) throw broken.reason
}

/** Rows that are asked together. */
export interface Piece {
  readonly first: number
  readonly count: number
}

/** How rows are asked in pieces. */
export interface Pieces {
  /** From which row on; from the first if left out. */
  readonly from?: number
  /** How many rows there are. */
  readonly rows: number
  /** Rows per piece at most. */
  readonly size: number
  /** Pieces under way at most. */
  readonly width: number
  /** Fires when a row has failed and the asker ends there; what is under way is then waited for, otherwise left behind. */
  readonly stop?: AbortController
}

/** Asks rows piece by piece. Where the asker ends at the first failure, no piece begins after one with a failed row. */
export async function askInPieces(
  { from = 0, rows, size, width, stop }: Pieces,
  into: Answers,
  ask: (piece: Piece) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Piece>()
  let leftBehind: Piece[] | undefined
  let begun = from
  let leave: () => void = () => undefined
  const failure = new Promise<void>((resolve) => {
    leave = resolve
  })
  const work = async (): Promise<void> => {
    const piece = { first: begun, count: Math.min(size, rows - begun) }
    begun += piece.count
    underWay.add(piece)
    await ask(piece)
    underWay.delete(piece)
    if (leftBehind !== undefined || !endsAt(into, piece.first, piece.count)) return
    leftBehind = [...underWay]
    if (stop === undefined) leave()
    else stop.abort(new Error('another query failed, which ends the run'))
  }
  const all = inParallel(Math.ceil((rows - from) / size), width, work, () => leftBehind === undefined)
  await Promise.race([all, failure])
  if (leftBehind === undefined) return
  for (const piece of leftBehind) abandon(into, piece)
  dropFrom(into, begun, rows)
}

/** Marks what was under way and has no value now. */
function abandon({ dropped, values, failed, reasons }: Answers, { first, count }: Piece): void {
  for (let row = first; row < first + count; row++) {
    if (dropped === undefined || (failed[row] === 0 && Number.isFinite(values[row]))) continue
    dropped[row] = abandoned
    failed[row] = 0
    reasons[row] = undefined
  }
}
