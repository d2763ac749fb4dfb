// @ts-check
// A program as bench/peers/minimizers.py is one, for tests: its methods behave well, crash, and never end.
import { readSync, writeSync } from 'node:fs'

send(
  ['walker', 'crasher', 'endless', 'absent'].map((name) => ({
    name,
    package: 'nowhere',
    version: name === 'absent' ? null : '1',
    random: false,
    largest: 10,
  })),
)
for (;;) {
  const job = JSON.parse(read(read(4).readInt32LE(0)).toString())
  const first = ask(job.start)
  if (job.solver === 'crasher') {
    process.stderr.write('crashed\n')
    process.exit(3)
  }
  while (job.solver === 'endless') ask(job.start)
  const third = job.start.map((/** @type {number} */ v) => v / 3)
  send({ own: 7, note: `${first} ${ask(third)} ${ask(third)}`, point: [1, 1] })
}

/** @param {number[]} x */
function ask(x) {
  const frame = Buffer.alloc(4 + 8 * x.length)
  frame.writeInt32LE(x.length)
  x.forEach((v, i) => frame.writeDoubleLE(v, 4 + 8 * i))
  writeSync(1, frame)
  return read(8).readDoubleLE(0)
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
