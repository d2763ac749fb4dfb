#!/usr/bin/env node
// A black box for zeroth: reads points as lines of JSON, writes a value for each. Needs nothing but Node.
// Try it: echo '{"id":1,"x":[1.5,2.0]}' | node objective.mjs
import { createInterface } from 'node:readline'

/** Put your own function here: Rosenbrock's valley, 0 at (1, ..., 1). */
function objective(x) {
  if (x.length < 2) throw new Error('the point needs at least 2 coordinates')
  let total = 0
  for (let i = 0; i + 1 < x.length; i++) {
    const rise = x[i + 1] - x[i] * x[i]
    const rest = 1 - x[i]
    total += 100 * rise * rise + rest * rest
  }
  return total
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, x } = JSON.parse(line)
  let reply
  try {
    reply = { id, value: objective(x) }
  } catch (error) {
    reply = { id, error: String(error) }
  }
  console.log(JSON.stringify(reply))
}
