// @ts-check
// A program as bench/peers/attacks.py is one, for tests: its methods find a success, crash, and never end.
import { readSync, writeSync } from 'node:fs'

const names = ['brightener', 'crasher', 'endless', 'absent']
send(
  names.map((name) => ({
    name,
    package: 'nowhere',
    version: name === 'absent' ? null : '1',
    kinds: ['l2', 'nearest'],
  })),
)
for (;;) {
  const job = JSON.parse(read(read(4).readInt32LE(0)).toString())
  const pixels = floats(read(4 * 2))
  if (job.solver === 'crasher') {
    process.stderr.write('crashed\n')
    process.exit(3)
  }
  send({ note: attack(job, pixels) })
}

/**
 * @param {{ solver: string, seed: number, limit?: number }} job
 * @param {Float32Array} pixels
 */
function attack({ solver, seed, limit }, pixels) {
  for (let step = 1; step <= 4 || solver === 'endless'; step++) {
    // Two rows at a time: the image itself, and one whose second pixel is brighter.
    const scores = ask([...pixels, pixels[0] ?? 0, (pixels[1] ?? 0) + 0.1 * Math.min(step, 4)])
    if (scores === undefined) return `stopped, seed ${seed}, limit ${limit}`
  }
  return 'ended'
}

/** @param {number[]} rows */
function ask(rows) {
  const head = Buffer.alloc(4)
  head.writeInt32LE(rows.length / 2)
  writeSync(1, Buffer.concat([head, Buffer.from(Float32Array.from(rows).buffer)]))
  const count = read(4).readInt32LE(0)
  return count === 0 ? undefined : floats(read(4 * 2 * count))
}

/** @param {Buffer} bytes */
function floats(bytes) {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
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

/** @param {unknown} message */
function send(message) {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(4)
  head.writeInt32LE(-text.length)
  writeSync(1, Buffer.concat([head, text]))
}
