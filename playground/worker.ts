import modelFile from 'digits:model'
import { type AttackFrame, type AttackTask, attackImage } from './attack-image.ts'
import { type Area, type Grid, gridOf, type RecordedRun, recordRun, type Task } from './compute.ts'
import { digitsModel } from './digits-network.ts'

/** What a worker is asked for: the landscape and the runs of the own function, or an attack. */
export type Order =
  | { readonly kind: 'own'; readonly area: Area; readonly side: number; readonly tasks: readonly Task[] }
  | { readonly kind: 'attack'; readonly task: AttackTask }

/** What it answers. */
export type Answer =
  | { readonly kind: 'own'; readonly grid: Grid; readonly runs: readonly RecordedRun[] }
  | { readonly kind: 'attack'; readonly frame: AttackFrame }
  | { readonly kind: 'error'; readonly message: string }

/** The global of a worker, with the function that the reader wrote: see `startWorker`. */
interface WorkerScope {
  own?: (x: number, y: number) => unknown
  onmessage: ((event: MessageEvent<Order>) => void) | null
  postMessage(answer: Answer): void
}

/** Listens for orders: the part of the script that runs in a worker. */
export function serveOrders(): void {
  const scope = globalThis as unknown as WorkerScope
  scope.onmessage = async ({ data }) => {
    try {
      if (data.kind === 'own') scope.postMessage(ownAnswer(scope, data))
      else {
        await attackImage(digitsModel(modelFile), data.task, (frame) => scope.postMessage({ kind: 'attack', frame }))
      }
    } catch (error) {
      scope.postMessage({ kind: 'error', message: error instanceof Error ? error.message : String(error) })
    }
  }
}

function ownAnswer({ own }: WorkerScope, { area, side, tasks }: Extract<Order, { kind: 'own' }>): Answer {
  if (typeof own !== 'function') throw new Error('Write a function of x and y, such as (x, y) => x * x + y * y')
  const value = (x: number, y: number): number => {
    const result = own(x, y)
    if (typeof result !== 'number') throw new Error(`The function must return a number, it returned ${String(result)}`)
    return result
  }
  return { kind: 'own', grid: gridOf(value, area, side), runs: tasks.map((task) => recordRun(value, task)) }
}

/** A worker under way. */
export interface Running {
  stop(): void
}

/**
 * Starts a worker from the text of this very script, so that one file is enough, and from the code of the reader: no policy
 * has to allow evaluation for that. Code that never ends is stopped after a while.
 */
export function startWorker(
  order: Order,
  { script, code, seconds }: { readonly script: string; readonly code?: string; readonly seconds: number },
  take: (answer: Answer) => void,
): Running {
  const text = code === undefined ? script : `${script}\n;globalThis.own = (${code}\n)`
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  const worker = new Worker(address)
  const stop = (): void => {
    clearTimeout(timer)
    worker.terminate()
    URL.revokeObjectURL(address)
  }
  const fail = (message: string): void => {
    stop()
    take({ kind: 'error', message })
  }
  const timer = setTimeout(() => fail(`Stopped after ${seconds} seconds without an end.`), 1000 * seconds)
  worker.onerror = (event) => {
    event.preventDefault()
    fail(event.message.replace(/^Uncaught /, ''))
  }
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    if (data.kind !== 'attack' || data.frame.isLast) stop()
    take(data)
  }
  worker.postMessage(order)
  return { stop }
}
