import { ZerothError } from '../../src/index.ts'
import type { CellNews, CellOrder } from './cell-team.ts'
import { type CellWatch, performCell } from './perform-cell.ts'

/*
 * A process that performs cells of a reproduction, one after the other, as another tells it. Ctrl-C reaches both: only that
 * one decides what it means. When that one is gone, so is this: all it was told is recorded.
 */
const stopping = new AbortController()
const tell = (news: CellNews): void => void process.send?.(news)
const watch: CellWatch = {
  signal: stopping.signal,
  say: (text) => tell({ kind: 'said', text }),
  warn: (text) => tell({ kind: 'warned', text }),
  onShare: (share) => tell({ kind: 'share', share }),
}

for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined)
process.on('disconnect', () => process.exit(0))
process.on('message', async (order: CellOrder) => {
  if (order.kind === 'stop') return stopping.abort(new Error('stopped'))
  try {
    tell({ kind: 'ended', isDone: await performCell(order.out, order.cell, watch) })
  } catch (error) {
    const code = error instanceof ZerothError ? error.code : undefined
    tell({ kind: 'failed', code, message: error instanceof Error ? error.message : String(error) })
  }
})
