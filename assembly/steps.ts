// Over 250 lines because every step is written twice, for whole vectors and for the elements left over.
import { roomBetween } from './bounds'
import { gradientScratch, heldScratch, TILE } from './memory'
import { accumulateInside, accumulateTile } from './rows'

/** What a fused update makes of the gradient. */
export const PLAIN: i32 = 0
export const SIGN: i32 = 1
/** Momentum divided by the root of the running maximum of the second moment. */
export const MAXIMUM: i32 = 2
/** Momentum divided by the root of the second moment itself. */
export const CURRENT: i32 = 3

/** Elements of kept rows that are summed before they are used: few enough to stay in the first-level cache. */
const KEPT_CHUNK: i32 = 128

/** average = keep average + take gradient, with denormal results flushed to 0. */
export function average<T>(values: usize, gradient: usize, keep: T, take: T, smallest: T, dim: i32): void {
  const lanes = 16 / <i32>sizeof<T>()
  const whole = dim - (dim % lanes)
  for (let end = values + <usize>whole * sizeof<T>(); values < end; values += 16, gradient += 16) {
    v128.store(values, averaged<T>(v128.load(values), v128.load(gradient), v128.splat<T>(keep), v128.splat<T>(take), v128.splat<T>(smallest)))
  }
  for (let i = whole; i < dim; i++, values += sizeof<T>(), gradient += sizeof<T>()) {
    const next = keep * load<T>(values) + take * load<T>(gradient)
    store<T>(values, abs<T>(next) < smallest ? 0 : next)
  }
}

/** The second moment and, where there is one, its running maximum. */
export function secondMoment<T>(second: usize, maximum: usize, gradient: usize, keep: T, take: T, smallest: T, dim: i32): void {
  const lanes = 16 / <i32>sizeof<T>()
  const whole = dim - (dim % lanes)
  for (let i: usize = 0, end = <usize>whole * sizeof<T>(); i < end; i += 16) {
    const g = v128.load(gradient + i)
    const v = squareAveraged<T>(v128.load(second + i), g, v128.splat<T>(keep), v128.splat<T>(take), v128.splat<T>(smallest))
    v128.store(second + i, v)
    if (maximum != 0) v128.store(maximum + i, v128.pmax<T>(v128.load(maximum + i), v))
  }
  for (let i = <usize>whole * sizeof<T>(), end = <usize>dim * sizeof<T>(); i < end; i += sizeof<T>()) {
    const g = load<T>(gradient + i)
    const next = keep * load<T>(second + i) + take * (g * g)
    const v = next < smallest ? <T>0 : next
    store<T>(second + i, v)
    if (maximum != 0 && v > load<T>(maximum + i)) store<T>(maximum + i, v)
  }
}

/** direction = sign(direction), sign(0) = 0. */
export function sign<T>(direction: usize, dim: i32): void {
  const lanes = 16 / <i32>sizeof<T>()
  const whole = dim - (dim % lanes)
  for (let end = direction + <usize>whole * sizeof<T>(); direction < end; direction += 16) {
    v128.store(direction, signs<T>(v128.load(direction)))
  }
  for (let i = whole; i < dim; i++, direction += sizeof<T>()) store<T>(direction, signOf<T>(load<T>(direction)))
}

/**
 * x -= rate direction / sqrt(squares), clipped; pointers that are 0 stand for what is not there. `uniform` bounds are
 * one number for all coordinates.
 */
export function advance<T>(
  x: usize,
  rate: T,
  direction: usize,
  squares: usize,
  lower: usize,
  upper: usize,
  uniform: bool,
  largest: T,
  dim: i32,
): void {
  const lanes = 16 / <i32>sizeof<T>()
  const whole = dim - (dim % lanes)
  const bytes = <usize>dim * sizeof<T>()
  const end = <usize>whole * sizeof<T>()
  const rates = held<T>(5, rate)
  const limit = held<T>(6, largest)
  let i: usize = 0
  if (squares == 0 && (uniform || (lower == 0 && upper == 0))) {
    const lows = held<T>(7, lower == 0 ? <T>-Infinity : load<T>(lower))
    const highs = held<T>(8, upper == 0 ? <T>Infinity : load<T>(upper))
    for (; i < end; i += 16) {
      const result = movedFree<T>(v128.load(x + i), v128.load(direction + i), rates, limit)
      v128.store(x + i, v128.pmin<T>(v128.pmax<T>(result, lows), highs))
    }
  }
  for (; i < end; i += 16) {
    let move = v128.load(direction + i)
    if (squares != 0) move = divided<T>(move, v128.load(squares + i))
    v128.store(x + i, moved<T>(v128.load(x + i), move, rates, limit, lower, upper, uniform, i))
  }
  for (; i < bytes; i += sizeof<T>()) {
    let move = load<T>(direction + i)
    if (squares != 0) move = move == 0 ? <T>0 : move / sqrt<T>(load<T>(squares + i))
    store<T>(x + i, movedOne<T>(load<T>(x + i), move, rate, largest, lower, upper, uniform, i))
  }
}

/**
 * One whole iteration's end, tile by tile, without a gradient vector: the gradient of a tile is made from directions
 * generated again (`rows` = 0) or from rows that were kept, turned into a step, and x is moved and clipped. Directions
 * are generated again as they were asked: anywhere, or (`inside`) between the bounds.
 * `terms` lists for each direction its
 * row, scale and weight as f64; for kept rows, where each begins (u32 in 8 bytes) and its weight in every lane.
 */
export function update<T>(
  x: usize,
  kind: i32,
  terms: usize,
  count: i32,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  antithetic: bool,
  inside: bool,
  rows: usize,
  first: usize,
  second: usize,
  maximum: usize,
  keep1: T,
  take1: T,
  keep2: T,
  take2: T,
  smallest: T,
  rate: T,
  lower: usize,
  upper: usize,
  uniform: bool,
  largest: T,
  dim: i32,
): void {
  const chunk = rows == 0 ? TILE : KEPT_CHUNK
  for (let start = 0; start < dim; start += chunk) {
    const length = min(chunk, dim - start)
    const at = <usize>start * sizeof<T>()
    const low = uniform || lower == 0 ? lower : lower + at
    const high = uniform || upper == 0 ? upper : upper + at
    if (rows == 0) {
      const room = inside ? roomBetween<T>(x + at, low, high, uniform, length) : <T>0
      memory.fill(gradientScratch(), 0, <usize>length * sizeof<T>())
      for (let term = terms, end = terms + <usize>count * 24; term < end; term += 24) {
        const row = <i32>load<f64>(term)
        const scale = <T>load<f64>(term, 8)
        const weight = <T>load<f64>(term, 16)
        if (inside && !(room > longest<T>(scale))) accumulateInside<T>(x + at, scale, keyLow, keyHigh, iteration, row, start / TILE, length, weight, antithetic, low, high, uniform, gradientScratch())
        else accumulateTile<T>(x + at, scale, keyLow, keyHigh, iteration, row, start / TILE, length, weight, antithetic, gradientScratch())
      }
    } else gatherTile<T>(x + at, rows + at, terms, count, length)
    if (kind >= MAXIMUM) momentTile<T>(at, length, kind, first, second, maximum, keep1, take1, keep2, take2, smallest)
    else if (kind == SIGN) sign<T>(gradientScratch(), length)
    advance<T>(x + at, rate, gradientScratch(), 0, low, high, uniform, largest, length)
  }
}

/** More than a step can be long: radii are at most sqrt(64 ln 2) = 6.7. */
// @ts-ignore: decorator
@inline
function longest<T>(scale: T): T {
  return 8 * abs<T>(scale)
}

/** gradient tile = sum of weight (row - x) over kept rows, four vectors at a time so that sums stay in registers. */
function gatherTile<T>(x: usize, rows: usize, terms: usize, count: i32, length: i32): void {
  const end = terms + <usize>count * 24
  const bytes = <usize>length * sizeof<T>()
  let i: usize = 0
  for (; i + 64 <= bytes; i += 64) {
    const x0 = v128.load(x + i)
    const x1 = v128.load(x + i, 16)
    const x2 = v128.load(x + i, 32)
    const x3 = v128.load(x + i, 48)
    let g0 = v128.splat<T>(0)
    let g1 = v128.splat<T>(0)
    let g2 = v128.splat<T>(0)
    let g3 = v128.splat<T>(0)
    for (let term = terms; term < end; term += 24) {
      const row = rows + <usize>load<u32>(term) + i
      const weight = v128.load(term, 8)
      g0 = v128.add<T>(g0, v128.mul<T>(weight, v128.sub<T>(v128.load(row), x0)))
      g1 = v128.add<T>(g1, v128.mul<T>(weight, v128.sub<T>(v128.load(row, 16), x1)))
      g2 = v128.add<T>(g2, v128.mul<T>(weight, v128.sub<T>(v128.load(row, 32), x2)))
      g3 = v128.add<T>(g3, v128.mul<T>(weight, v128.sub<T>(v128.load(row, 48), x3)))
    }
    v128.store(gradientScratch() + i, g0)
    v128.store(gradientScratch() + i, g1, 16)
    v128.store(gradientScratch() + i, g2, 32)
    v128.store(gradientScratch() + i, g3, 48)
  }
  for (; i < bytes; i += sizeof<T>()) {
    let g: T = 0
    for (let term = terms; term < end; term += 24) {
      const row = load<T>(rows + <usize>load<u32>(term) + i)
      g += load<T>(term, 8) * (row - load<T>(x + i))
    }
    store<T>(gradientScratch() + i, g)
  }
}

/** Moments of one tile; the gradient becomes the step m / sqrt(squares) (Algorithm 1, lines 4 to 7). */
function momentTile<T>(
  at: usize,
  length: i32,
  kind: i32,
  first: usize,
  second: usize,
  maximum: usize,
  keep1: T,
  take1: T,
  keep2: T,
  take2: T,
  smallest: T,
): void {
  const bytes = <usize>length * sizeof<T>()
  const keeps1 = held<T>(0, keep1)
  const takes1 = held<T>(1, take1)
  const keeps2 = held<T>(2, keep2)
  const takes2 = held<T>(3, take2)
  const tiny = held<T>(4, smallest)
  let i = at
  let gradient = gradientScratch()
  for (const end = at + (bytes & ~15); i < end; i += 16, gradient += 16) {
    const g = v128.load(gradient)
    const m = averaged<T>(v128.load(first + i), g, keeps1, takes1, tiny)
    const v = squareAveraged<T>(v128.load(second + i), g, keeps2, takes2, tiny)
    v128.store(first + i, m)
    v128.store(second + i, v)
    let squares = v
    if (maximum != 0) {
      const highest = v128.pmax<T>(v128.load(maximum + i), v)
      v128.store(maximum + i, highest)
      if (kind == MAXIMUM) squares = highest
    }
    v128.store(gradient, divided<T>(m, squares))
  }
  for (const end = at + bytes; i < end; i += sizeof<T>(), gradient += sizeof<T>()) {
    const g = load<T>(gradient)
    let m = keep1 * load<T>(first + i) + take1 * g
    if (abs<T>(m) < smallest) m = 0
    let v = keep2 * load<T>(second + i) + take2 * (g * g)
    if (v < smallest) v = 0
    store<T>(first + i, m)
    store<T>(second + i, v)
    let squares = v
    if (maximum != 0) {
      if (v > load<T>(maximum + i)) store<T>(maximum + i, v)
      if (kind == MAXIMUM) squares = load<T>(maximum + i)
    }
    store<T>(gradient, m == 0 ? <T>0 : m / sqrt<T>(squares))
  }
}

/** A number in all lanes, by way of memory: V8 would make it again in every pass of a loop. */
// @ts-ignore: decorator
@inline
function held<T>(index: i32, value: T): v128 {
  const at = heldScratch() + (<usize>index << 3)
  store<T>(at, value)
  return sizeof<T>() == 4 ? v128.load32_splat(at) : v128.load64_splat(at)
}

// @ts-ignore: decorator
@inline
function averaged<T>(value: v128, g: v128, keep: v128, take: v128, smallest: v128): v128 {
  const next = v128.add<T>(v128.mul<T>(keep, value), v128.mul<T>(take, g))
  return v128.andnot(next, v128.lt<T>(v128.abs<T>(next), smallest))
}

// @ts-ignore: decorator
@inline
function squareAveraged<T>(value: v128, g: v128, keep: v128, take: v128, smallest: v128): v128 {
  const next = v128.add<T>(v128.mul<T>(keep, value), v128.mul<T>(take, v128.mul<T>(g, g)))
  return v128.andnot(next, v128.lt<T>(next, smallest))
}

/** direction / sqrt(squares) with 0 / 0 = 0. */
// @ts-ignore: decorator
@inline
function divided<T>(direction: v128, squares: v128): v128 {
  const quotient = v128.div<T>(direction, v128.sqrt<T>(squares))
  return v128.and(quotient, v128.ne<T>(direction, v128.splat<T>(0)))
}

/** x - rate move where that is finite, otherwise x; then the bounds at byte offset `i`. */
// @ts-ignore: decorator
@inline
function moved<T>(x: v128, move: v128, rate: v128, largest: v128, lower: usize, upper: usize, uniform: bool, i: usize): v128 {
  let result = movedFree<T>(x, move, rate, largest)
  if (lower != 0) result = v128.pmax<T>(result, uniform ? v128.splat<T>(load<T>(lower)) : v128.load(lower + i))
  if (upper != 0) result = v128.pmin<T>(result, uniform ? v128.splat<T>(load<T>(upper)) : v128.load(upper + i))
  return result
}

/** x - rate move where that is finite, otherwise x. */
// @ts-ignore: decorator
@inline
function movedFree<T>(x: v128, move: v128, rate: v128, largest: v128): v128 {
  const next = v128.sub<T>(x, v128.mul<T>(rate, move))
  return v128.bitselect(next, x, v128.le<T>(v128.abs<T>(next), largest))
}

// @ts-ignore: decorator
@inline
function movedOne<T>(x: T, move: T, rate: T, largest: T, lower: usize, upper: usize, uniform: bool, i: usize): T {
  const next = x - rate * move
  let result = abs<T>(next) <= largest ? next : x
  const at: usize = uniform ? 0 : i
  if (lower != 0 && result < load<T>(lower + at)) result = load<T>(lower + at)
  if (upper != 0 && result > load<T>(upper + at)) result = load<T>(upper + at)
  return result
}

// @ts-ignore: decorator
@inline
function signs<T>(g: v128): v128 {
  const zero = v128.splat<T>(0)
  const one = v128.splat<T>(1)
  return v128.sub<T>(v128.and(v128.gt<T>(g, zero), one), v128.and(v128.lt<T>(g, zero), one))
}

// @ts-ignore: decorator
@inline
function signOf<T>(g: T): T {
  return g > 0 ? <T>1 : g < 0 ? <T>-1 : <T>0
}
