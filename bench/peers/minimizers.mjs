// @ts-check
// The minimisers on npm of the general benchmark, in a process of their own: nlopt-js can end it with an exception of its
// WebAssembly. Speaks the frames that bench/peers/minimizers.py describes.
import { readSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** @typedef {{ solver: string, start: number[], budget: number, seed: number, lower?: number[], upper?: number[] }} Job */
/** @typedef {{ lowest: number, point: number[] | Float64Array, calls: number, waiting: number }} Found */

const folder = process.argv[2] ?? '.'
const require = createRequire(join(folder, 'package.json'))
const algorithms = {
  'nlopt-js-bobyqa': { id: 'LN_BOBYQA', largest: 20 },
  'nlopt-js-praxis': { id: 'LN_PRAXIS', largest: 100 },
  'nlopt-js-sbplx': { id: 'LN_SBPLX', largest: 100 },
  'nlopt-js-cobyla': { id: 'LN_COBYLA', largest: 20 },
}

const version = versionOf('nlopt-js')
const nlopt = version === null ? undefined : require('nlopt-js')
await nlopt?.ready
send(
  Object.entries(algorithms).map(([name, { largest }]) => ({
    name,
    package: 'nlopt-js',
    version,
    random: false,
    largest,
  })),
)
for (;;) perform(JSON.parse(read(read(4).readInt32LE(0)).toString()))

/** @param {Job} job */
function perform(job) {
  /** @type {Found} */
  const found = { lowest: Infinity, point: job.start, calls: 0, waiting: 0 }
  const began = performance.now()
  let note = 'finished'
  try {
    minimize(job, found)
  } catch (error) {
    note = found.calls >= job.budget ? 'max-queries' : `failed: ${error instanceof Error ? error.message : error}`
  }
  send({ own: performance.now() - began - found.waiting, note, point: Array.from(found.point) })
}

/**
 * @param {Job} job
 * @param {Found} found
 */
function minimize({ solver, start, budget, lower, upper }, found) {
  const { id } = algorithms[/** @type {keyof typeof algorithms} */ (solver)]
  const optimizer = new nlopt.Optimize(nlopt.Algorithm[id], start.length)
  optimizer.setMinObjective((/** @type {number[]} */ x) => ask(x, budget, found), 1e-14)
  if (lower !== undefined) {
    optimizer.setLowerBounds(lower)
    optimizer.setUpperBounds(upper)
  }
  optimizer.setMaxeval(budget)
  try {
    optimizer.optimize(start)
  } finally {
    nlopt.GC.flush()
  }
}

/**
 * @param {number[]} x
 * @param {number} budget
 * @param {Found} found
 */
function ask(x, budget, found) {
  const began = performance.now()
  if (found.calls >= budget) throw new Error('the budget is spent')
  found.calls++
  const point = Float64Array.from(x)
  const frame = Buffer.alloc(4 + 8 * x.length)
  frame.writeInt32LE(x.length)
  Buffer.from(point.buffer).copy(frame, 4)
  write(frame)
  const value = read(8).readDoubleLE(0)
  if (value < found.lowest) Object.assign(found, { lowest: value, point })
  found.waiting += performance.now() - began
  return value
}

/** @param {string} name */
function versionOf(name) {
  try {
    return String(require(`${name}/package.json`).version)
  } catch {
    return null
  }
}

/** @param {number} count */
function read(count) {
  const buffer = Buffer.alloc(count)
  for (let at = 0; at < count; ) {
    const got = readSync(0, buffer, at, count - at, null)
    if (got === 0) process.exit(0)
    at += got
  }
  return buffer
}

/** @param {Buffer} buffer */
function write(buffer) {
  for (let at = 0; at < buffer.length; ) at += writeSync(1, buffer, at)
}

/** @param {unknown} message */
function send(message) {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(4)
  head.writeInt32LE(-text.length)
  write(Buffer.concat([head, text]))
}
