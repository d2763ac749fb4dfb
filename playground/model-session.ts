import type { AttackFrame, AttackTask } from './attack-image.ts'
import type { ModelAnswer, ModelFacts, ModelOptions, ModelOrder, Tried } from './model-orders.ts'

/** A model in a worker of its own. */
export interface ModelSession {
  readonly facts: Promise<ModelFacts>
  scores(pixels: Float32Array): Promise<readonly number[]>
  /** What the model says to a picture, by what it is fed with. */
  tryUsual(pixels: Float32Array): Promise<readonly Tried[]>
  /** Ends with the last picture. */
  attack(task: AttackTask, show: (frame: AttackFrame) => void): Promise<AttackFrame>
  /** Ends the worker, whatever it is doing; what it was asked for never comes. */
  stop(): void
}

/**
 * Opens a model in a worker. The worker begins as a Blob, so that the policy of this page holds in it, too: it can load
 * from the host of the page, and nothing can be sent elsewhere. A Blob knows no relative addresses: `script` is absolute.
 */
export function openModel(script: string, file: File, options: ModelOptions): ModelSession {
  const text = `import ${JSON.stringify(script)}`
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  const worker = new Worker(address, { type: 'module' })
  let settle: (answer: ModelAnswer) => void = () => undefined
  worker.onmessage = ({ data }: MessageEvent<ModelAnswer>) => settle(data)
  worker.onerror = (event) => {
    event.preventDefault()
    const why = event.message ? `: ${event.message}` : `: ${script} must be there, beside this page`
    settle({ kind: 'error', message: `the runtime cannot be loaded${why}` })
  }

  let last: Promise<unknown> = Promise.resolve()
  /** Asks for one thing after the other; `take` is given every answer and returns what is wanted once it is there. */
  const ask = <T>(order: ModelOrder, take: (answer: ModelAnswer) => T | undefined): Promise<T> => {
    const answered = last.then(
      () =>
        new Promise<T>((resolve, reject) => {
          settle = (answer) => {
            const wanted = take(answer)
            if (wanted !== undefined) resolve(wanted)
            if (answer.kind !== 'error') return
            reject(new Error(answer.message.replace('the network given as bytes', file.name)))
          }
          worker.postMessage(order)
        }),
    )
    last = answered.catch(() => undefined)
    return answered
  }

  return {
    facts: ask({ kind: 'open', file, options }, (answer) => (answer.kind === 'opened' ? answer.facts : undefined)),
    scores: (pixels) =>
      ask({ kind: 'scores', pixels }, (answer) => (answer.kind === 'scores' ? answer.scores : undefined)),
    tryUsual: (pixels) =>
      ask({ kind: 'usual', pixels }, (answer) => (answer.kind === 'usual' ? answer.tried : undefined)),
    attack: (task, show) =>
      ask({ kind: 'attack', task }, (answer) => {
        if (answer.kind !== 'attack') return undefined
        show(answer.frame)
        return answer.frame.isLast ? answer.frame : undefined
      }),
    stop() {
      worker.terminate()
      URL.revokeObjectURL(address)
    },
  }
}
