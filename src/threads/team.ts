import { Worker } from 'node:worker_threads'
import type { Routines, SharedRoutine } from '../kernels/wasm-instance.ts'

/** Numbers of a call at most, the range not counted. */
const maxNumbers = 32

/** Waits of up to a second before a helper counts as lost: far longer than the longest routine. */
const patience = 300

/** Looks at a flag this often before going to sleep: shorter than a sleep, longer than the gap between two calls. */
const spins = 20_000

const routineNumbers: Readonly<Record<SharedRoutine, number>> = { perturb: 0, measure: 1, finish: 2, update: 3 }

/** Layout of the control words, as the helpers know it: call number, helpers done, routine, width, numbers, stop. */
const words = { call: 0, done: 1, routine: 2, single: 3, count: 4, stop: 5, ready: 6, length: 8 }

/** Threads that each take a part of a routine. */
export interface Team {
  /** Has every thread work on its range; returns when all are done. */
  run(code: Routines, routine: SharedRoutine, ranges: readonly number[], numbers: readonly number[]): void
  dispose(): void
}

/**
 * Starts `helpers` threads on a shared memory; they work beside the calling one. Calls are handed over through shared
 * words: a spinning reader sees a call within a microsecond, and sleeps when nothing comes.
 */
export function startTeam(module: WebAssembly.Module, memory: WebAssembly.Memory, scratch: readonly number[]): Team {
  const control = new Int32Array(new SharedArrayBuffer(4 * words.length))
  const numbers = new Float64Array(new SharedArrayBuffer(8 * maxNumbers))
  const ranges = new Float64Array(new SharedArrayBuffer(8 * (scratch.length + 2)))
  const workers = scratch.map((place, i) => {
    const workerData = { module, memory, control, numbers, ranges, place, index: i + 1, spins, words }
    const worker = new Worker(helperCode, { eval: true, workerData })
    // A waiting helper must not keep the program alive.
    worker.unref()
    return worker
  })
  waitFor(control, words.ready, workers.length)

  let disposed = false
  return {
    run(code, routine, cuts, given) {
      if (disposed) {
        // The helpers are gone: the calling thread does it all.
        code[routine](0, cuts.at(-1) as number, ...given)
        return
      }
      numbers.set(given)
      ranges.set(cuts)
      control[words.routine] = routineNumbers[routine]
      control[words.single] = code.width === 32 ? 1 : 0
      control[words.count] = given.length
      Atomics.store(control, words.done, 0)
      Atomics.add(control, words.call, 1)
      Atomics.notify(control, words.call)
      code[routine](cuts[0] as number, cuts[1] as number, ...given)
      waitFor(control, words.done, workers.length)
    },
    dispose() {
      if (disposed) return
      disposed = true
      Atomics.store(control, words.stop, 1)
      Atomics.add(control, words.call, 1)
      Atomics.notify(control, words.call)
    },
  }
}

/** Waits until a word has reached a value, spinning first; a helper that never answers is an error, not a hang. */
function waitFor(control: Int32Array, word: number, value: number): void {
  for (let spin = 0; spin < spins; spin++) if (Atomics.load(control, word) === value) return
  for (let waits = 0; ; waits++) {
    const seen = Atomics.load(control, word)
    if (seen === value) return
    if (waits > patience) throw new Error('a helper thread of the kernels does not answer')
    Atomics.wait(control, word, seen, 1000)
  }
}

/** What a helper runs. Text, because a thread starts from a file or from text, and this library is not one file. */
const helperCode = `
const { workerData } = require('node:worker_threads')
const { module, memory, control, numbers, ranges, place, index, spins, words } = workerData
const { exports } = new WebAssembly.Instance(module, { env: { memory } })
exports.useScratch(place)
const routines = ['perturb', 'measure', 'finish', 'update'].map((name) => [exports[name + '64'], exports[name + '32']])
Atomics.add(control, words.ready, 1)
Atomics.notify(control, words.ready)
let call = 0
for (;;) {
  for (let spin = 0; spin < spins && Atomics.load(control, words.call) === call; spin++);
  while (Atomics.load(control, words.call) === call) Atomics.wait(control, words.call, call)
  call = (call + 1) | 0
  if (Atomics.load(control, words.stop) === 1) break
  const given = Array.from(numbers.subarray(0, control[words.count]))
  routines[control[words.routine]][control[words.single]](ranges[index], ranges[index + 1], ...given)
  Atomics.add(control, words.done, 1)
  Atomics.notify(control, words.done)
}
`
