// The functions that every kind of black box serves in test/end-to-end/objectives.test.ts: in this process, in threads,
// in other processes and behind sockets. Nothing but sums and products, which every engine rounds the same way.

/** @typedef {(x: ArrayLike<number>) => unknown} Box */

/** @type {(x: ArrayLike<number>) => number} */
export function bowl(x) {
  let sum = Number(x[0]) * Number(x[1])
  for (let i = 0; i < x.length; i++) {
    const distance = Number(x[i]) - 0.25 * i
    sum += (i + 1) * distance * distance
  }
  return sum
}

/**
 * Where the misbehaving boxes below misbehave: a property of the point, so that all kinds of black boxes agree.
 * @type {(x: ArrayLike<number>) => boolean}
 */
export function isOdd(x) {
  return Math.floor(Math.abs(Number(x[0])) * 4096) % 8 === 3
}

/** @type {(answer: () => unknown) => Box} */
function odd(answer) {
  return (x) => (isOdd(x) ? answer() : bowl(x))
}

export const nan = odd(() => Number.NaN)
export const infinite = odd(() => Infinity)
export const minusInfinite = odd(() => -Infinity)
export const huge = odd(() => 1e308)
export const text = odd(() => 'three')
export const nothing = odd(() => undefined)
export const broken = odd(() => {
  throw new Error('the box is broken')
})
export const silent = odd(() => new Promise(() => undefined))

/**
 * All boxes by name.
 * @type {Readonly<Record<string, Box>>}
 */
export const boxes = { bowl, nan, infinite, minusInfinite, huge, text, nothing, broken, silent }

/**
 * A value as the wire formats write it: JSON cannot hold some numbers.
 * @param {unknown} value
 */
export function onTheWire(value) {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
