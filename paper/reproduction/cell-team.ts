import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Watcher } from '../../src/app/cli/terminal.ts'
import { type ErrorCode, ZerothError } from '../../src/index.ts'
import { performCell } from './perform-cell.ts'
import type { Cell } from './tables/index.ts'

/** What a process of the team is told: to perform a cell, or to save and stop. */
export type CellOrder = { readonly kind: 'cell'; readonly out: string; readonly cell: Cell } | { readonly kind: 'stop' }

/** What it tells: something worth knowing, how much of a cell is done, or how it ended. */
export type CellNews =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'warned'; readonly text: string }
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'ended'; readonly isDone: boolean }
  | { readonly kind: 'failed'; readonly code: ErrorCode | undefined; readonly message: string }

/** Somebody who performs one cell after the other. */
interface Member {
  perform(cell: Cell): Promise<boolean>
  close(): void
}

/** How cells are performed, and who is told of it. */
interface Team {
  readonly workers: number
  readonly watching: Watcher
  /** So much of a cell is done, from 0 to 1. */
  readonly onShare: (cell: Cell, share: number) => void
  readonly onDone: (cell: Cell) => void
}

/**
 * Performs cells, so many at once, the largest first. False where it was interrupted. After an
 * error no further cell begins, and it is thrown when those at work have ended.
 */
export async function performCells(
  out: string,
  cells: readonly Cell[],
  { workers, watching, onShare, onDone }: Team,
): Promise<boolean> {
  const waiting = [...cells].sort((one, other) => other.calls - one.calls)
  const size = Math.min(workers, waiting.length)
  const members = Array.from({ length: size }, () => (size === 1 ? here : elsewhere)(out, watching, onShare))
  let isStopped = false
  const work = async (member: Member): Promise<void> => {
    try {
      for (let cell = waiting.shift(); cell !== undefined && !isStopped; cell = waiting.shift()) {
        if (watching.signal.aborted || !(await member.perform(cell))) isStopped = true
        else onDone(cell)
      }
    } catch (error) {
      isStopped = true
      throw error
    } finally {
      member.close()
    }
  }
  const settled = await Promise.allSettled(members.map(work))
  const failed = settled.find((each) => each.status === 'rejected')
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
  return !isStopped
}

function here(out: string, { signal, say, warn }: Watcher, onShare: Team['onShare']): Member {
  return {
    perform: (cell) => performCell(out, cell, { signal, say, warn, onShare: (share) => onShare(cell, share) }),
    close: () => undefined,
  }
}

/** A process of its own: what it prints goes to stderr, and it ends with this one. */
function elsewhere(out: string, watching: Watcher, onShare: Team['onShare']): Member {
  const child = fork(fileURLToPath(new URL('./cell-worker.js', import.meta.url)), { stdio: ['ignore', 2, 2, 'ipc'] })
  const stop = (): void => {
    if (child.connected) child.send({ kind: 'stop' } satisfies CellOrder)
  }
  watching.signal.addEventListener('abort', stop, { once: true })
  return {
    async perform(cell) {
      child.send({ kind: 'cell', out, cell } satisfies CellOrder)
      const news = await endOf(child, cell, watching, onShare)
      if (news.kind === 'ended') return news.isDone
      throw new ZerothError(news.code ?? 'objective-failed', `${cell.name}: ${news.message}`)
    },
    close() {
      watching.signal.removeEventListener('abort', stop)
      if (child.connected) child.disconnect()
    },
  }
}

type CellEnd = Extract<CellNews, { readonly kind: 'ended' | 'failed' }>

function endOf(child: ChildProcess, cell: Cell, watching: Watcher, onShare: Team['onShare']): Promise<CellEnd> {
  return new Promise((resolve) => {
    const onMessage = (news: CellNews): void => {
      if (news.kind === 'said') watching.say(`${cell.name}: ${news.text}`)
      else if (news.kind === 'warned') watching.warn(`${cell.name}: ${news.text}`)
      else if (news.kind === 'share') onShare(cell, news.share)
      else end(news)
    }
    const onExit = (code: number | null, signal: string | null): void => {
      const message = `its process ended (${signal ?? `exit code ${code}`}): what it has recorded is safe`
      end({ kind: 'failed', code: undefined, message })
    }
    const end = (news: CellEnd): void => {
      child.off('message', onMessage).off('exit', onExit)
      resolve(news)
    }
    child.on('message', onMessage).on('exit', onExit)
  })
}
