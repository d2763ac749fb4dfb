import { Worker } from 'node:worker_threads'
import { tileSize } from '../kernels/normals.ts'
import type { Routines, SharedRoutine } from '../kernels/wasm-instance.ts'

/** Numbers of a call at most, the range not counted. */
const maxNumbers = 32

/** Pieces that a call is cut into for each thread: enough that a slow thread holds none up for long. */
const piecesPerThread = 8

/** Low bits of a claim: the piece. The bits above are the call, so that no thread takes a piece of another call. */
const pieceBits = 10

/** Looks at a flag this often before going to sleep: shorter than a sleep, longer than the gap between two calls. */
const spins = 20_000

/** Waits of up to a second before a helper counts as lost: far longer than the longest routine. */
const patience = 300

const routineNumbers: Readonly<Record<SharedRoutine, number>> = {
  perturb: 0,
  measure: 1,
  finish: 2,
  update: 3,
  confine: 4,
}

/** The control words, as the helpers know them too. */
const words = {
  call: 0,
  claim: 1,
  pieces: 2,
  done: 3,
  routine: 4,
  single: 5,
  count: 6,
  size: 7,
  shared: 8,
  stop: 9,
  ready: 10,
}

/** Threads that work on a routine together. */
export interface Team {
  /** Does a routine for `dim` elements; returns when all of it is done. */
  run(code: Routines, routine: SharedRoutine, dim: number, numbers: readonly number[]): void
  dispose(): void
}

/**
 * Starts helper threads on a shared memory, one per scratch place; they work beside the calling one. A call is cut
 * into pieces of whole tiles, and a free thread takes the next: a helper that is asleep or has lost its processor
 * costs nothing but its help. The last tile is always the caller's, who alone keeps its radii between two passes.
 */
export function startTeam(module: WebAssembly.Module, memory: WebAssembly.Memory, scratch: readonly number[]): Team {
  const control = new Int32Array(new SharedArrayBuffer(4 * 16))
  const numbers = new Float64Array(new SharedArrayBuffer(8 * maxNumbers))
  for (const place of scratch) {
    const workerData = { module, memory, control, numbers, place, spins, words, pieceBits }
    // A waiting helper must not keep the program alive.
    new Worker(helperCode, { eval: true, workerData }).unref()
  }
  waitFor(control, words.ready, scratch.length)
  let call = 0
  let disposed = scratch.length === 0

  return {
    run(code, routine, dim, given) {
      const tiles = Math.ceil(dim / tileSize) - 1
      const tilesPerPiece = Math.ceil(tiles / (piecesPerThread * (scratch.length + 1)))
      if (disposed || tiles < 2) {
        code[routine](0, dim, ...given)
        return
      }
      const size = tilesPerPiece * tileSize
      const shared = tiles * tileSize
      call = (call + 1) & ((1 << (31 - pieceBits)) - 1)
      // No thread may take a piece while the call is being written down.
      Atomics.store(control, words.claim, -1)
      numbers.set(given)
      control[words.routine] = routineNumbers[routine]
      control[words.single] = code.width === 32 ? 1 : 0
      control[words.count] = given.length
      control[words.size] = size
      control[words.shared] = shared
      control[words.pieces] = Math.ceil(tiles / tilesPerPiece)
      Atomics.store(control, words.done, 0)
      Atomics.store(control, words.claim, call << pieceBits)
      Atomics.store(control, words.call, call)
      Atomics.notify(control, words.call)
      code[routine](shared, dim, ...given)
      for (let piece = claim(control, call); piece >= 0; piece = claim(control, call)) {
        code[routine](piece * size, Math.min((piece + 1) * size, shared), ...given)
        Atomics.add(control, words.done, 1)
      }
      waitFor(control, words.done, control[words.pieces] as number)
    },
    dispose() {
      if (disposed) return
      disposed = true
      Atomics.store(control, words.stop, 1)
      Atomics.store(control, words.call, -1)
      Atomics.notify(control, words.call)
    },
  }
}

/** The number of a piece not taken yet, or -1 when there is none left in this call. */
function claim(control: Int32Array, call: number): number {
  for (;;) {
    const seen = Atomics.load(control, words.claim)
    const piece = seen & ((1 << pieceBits) - 1)
    if (seen >> pieceBits !== call || piece >= (control[words.pieces] as number)) return -1
    if (Atomics.compareExchange(control, words.claim, seen, seen + 1) === seen) return piece
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

/**
 * What a helper runs. Text, because a thread starts from a file or from text, and this library is not one file.
 * What it reads of a call may be half of the next one: the claim, which names the call, then fails.
 */
const helperCode = `
const { workerData } = require('node:worker_threads')
const { module, memory, control, numbers, place, spins, words, pieceBits } = workerData
const { exports } = new WebAssembly.Instance(module, { env: { memory } })
exports.useScratch(place)
const routines = ['perturb', 'measure', 'finish', 'update', 'confine'].map((name) => [exports[name + '64'], exports[name + '32']])
function claim() {
  for (;;) {
    const seen = Atomics.load(control, words.claim)
    const piece = seen & ((1 << pieceBits) - 1)
    if (seen >> pieceBits !== call || piece >= control[words.pieces]) return -1
    if (Atomics.compareExchange(control, words.claim, seen, seen + 1) === seen) return piece
  }
}
let call = 0
Atomics.add(control, words.ready, 1)
Atomics.notify(control, words.ready)
for (;;) {
  for (let spin = 0; spin < spins && Atomics.load(control, words.call) === call; spin++);
  while (Atomics.load(control, words.call) === call) Atomics.wait(control, words.call, call)
  call = Atomics.load(control, words.call)
  if (Atomics.load(control, words.stop) === 1) break
  const given = Array.from(numbers.subarray(0, control[words.count]))
  const routine = routines[control[words.routine]][control[words.single]]
  const size = control[words.size]
  const shared = control[words.shared]
  for (let piece = claim(); piece >= 0; piece = claim()) {
    routine(piece * size, Math.min((piece + 1) * size, shared), ...given)
    Atomics.add(control, words.done, 1)
    Atomics.notify(control, words.done)
  }
}
`
