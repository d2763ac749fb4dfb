import { confine } from './bounds'
import { normalsScratch } from './memory'
import { tileNormals } from './normals'
import * as reduce from './reduce'
import * as rows from './rows'
import * as steps from './steps'

// Over 250 lines because a generic function cannot be exported: each kernel stands here in both precisions.
// Pointers are byte offsets into the imported memory.

/** The address of the tile that `normals` fills. */
export function normalsAddress(): usize {
  return normalsScratch()
}

/** The first byte that is free for vectors. */
export function heapBase(): usize {
  return __heap_base
}

/** The first `count` normals of one tile, rounded up to whole steps of eight. */
export function normals(keyLow: i32, keyHigh: i32, iteration: i32, row: i32, tile: i32, count: i32): void {
  tileNormals(keyLow, keyHigh, iteration, row, tile, count)
}

export function normalsSquared(keyLow: i32, keyHigh: i32, iteration: i32, row: i32, dim: i32): f64 {
  return rows.normalsSquared(keyLow, keyHigh, iteration, row, dim)
}

export function perturb32(
  x: usize,
  scale: f32,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
): void {
  rows.perturb<f32>(x, scale, keyLow, keyHigh, iteration, row, dim, into)
}

export function perturb64(
  x: usize,
  scale: f64,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
): void {
  rows.perturb<f64>(x, scale, keyLow, keyHigh, iteration, row, dim, into)
}

export function measure32(
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
  sums: usize,
): void {
  rows.measure<f32>(keyLow, keyHigh, iteration, row, dim, into, sums)
}

export function measure64(
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
  sums: usize,
): void {
  rows.measure<f64>(keyLow, keyHigh, iteration, row, dim, into, sums)
}

export function finish32(
  x: usize,
  scale: f32,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
): void {
  rows.finish<f32>(x, scale, keyLow, keyHigh, iteration, row, dim, into)
}

export function finish64(
  x: usize,
  scale: f64,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  dim: i32,
  into: usize,
): void {
  rows.finish<f64>(x, scale, keyLow, keyHigh, iteration, row, dim, into)
}

export function confine32(
  x: usize,
  lower: usize,
  upper: usize,
  uniform: bool,
  turn: bool,
  dim: i32,
  row: usize,
): void {
  confine<f32>(x, lower, upper, uniform, turn, dim, row)
}

export function confine64(
  x: usize,
  lower: usize,
  upper: usize,
  uniform: bool,
  turn: bool,
  dim: i32,
  row: usize,
): void {
  confine<f64>(x, lower, upper, uniform, turn, dim, row)
}

export function accumulateNormals32(
  x: usize,
  scale: f32,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  weight: f32,
  antithetic: bool,
  dim: i32,
  gradient: usize,
): void {
  rows.accumulateNormals<f32>(x, scale, keyLow, keyHigh, iteration, row, weight, antithetic, dim, gradient)
}

export function accumulateNormals64(
  x: usize,
  scale: f64,
  keyLow: i32,
  keyHigh: i32,
  iteration: i32,
  row: i32,
  weight: f64,
  antithetic: bool,
  dim: i32,
  gradient: usize,
): void {
  rows.accumulateNormals<f64>(x, scale, keyLow, keyHigh, iteration, row, weight, antithetic, dim, gradient)
}

export function accumulateRow32(row: usize, base: usize, weight: f32, dim: i32, gradient: usize): void {
  rows.accumulateRow<f32>(row, base, weight, dim, gradient)
}

export function accumulateRow64(row: usize, base: usize, weight: f64, dim: i32, gradient: usize): void {
  rows.accumulateRow<f64>(row, base, weight, dim, gradient)
}

export function average32(values: usize, gradient: usize, keep: f32, take: f32, smallest: f32, dim: i32): void {
  steps.average<f32>(values, gradient, keep, take, smallest, dim)
}

export function average64(values: usize, gradient: usize, keep: f64, take: f64, smallest: f64, dim: i32): void {
  steps.average<f64>(values, gradient, keep, take, smallest, dim)
}

export function secondMoment32(
  second: usize,
  maximum: usize,
  gradient: usize,
  keep: f32,
  take: f32,
  smallest: f32,
  dim: i32,
): void {
  steps.secondMoment<f32>(second, maximum, gradient, keep, take, smallest, dim)
}

export function secondMoment64(
  second: usize,
  maximum: usize,
  gradient: usize,
  keep: f64,
  take: f64,
  smallest: f64,
  dim: i32,
): void {
  steps.secondMoment<f64>(second, maximum, gradient, keep, take, smallest, dim)
}

export function sign32(direction: usize, dim: i32): void {
  steps.sign<f32>(direction, dim)
}

export function sign64(direction: usize, dim: i32): void {
  steps.sign<f64>(direction, dim)
}

export function advance32(
  x: usize,
  rate: f32,
  direction: usize,
  squares: usize,
  lower: usize,
  upper: usize,
  uniform: bool,
  largest: f32,
  dim: i32,
): void {
  steps.advance<f32>(x, rate, direction, squares, lower, upper, uniform, largest, dim)
}

export function advance64(
  x: usize,
  rate: f64,
  direction: usize,
  squares: usize,
  lower: usize,
  upper: usize,
  uniform: bool,
  largest: f64,
  dim: i32,
): void {
  steps.advance<f64>(x, rate, direction, squares, lower, upper, uniform, largest, dim)
}

export function update32(
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
  keep1: f32,
  take1: f32,
  keep2: f32,
  take2: f32,
  smallest: f32,
  rate: f32,
  lower: usize,
  upper: usize,
  uniform: bool,
  largest: f32,
  dim: i32,
): void {
  steps.update<f32>(x, kind, terms, count, keyLow, keyHigh, iteration, antithetic, inside, rows, first, second, maximum, keep1, take1, keep2, take2, smallest, rate, lower, upper, uniform, largest, dim)
}

export function update64(
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
  keep1: f64,
  take1: f64,
  keep2: f64,
  take2: f64,
  smallest: f64,
  rate: f64,
  lower: usize,
  upper: usize,
  uniform: bool,
  largest: f64,
  dim: i32,
): void {
  steps.update<f64>(x, kind, terms, count, keyLow, keyHigh, iteration, antithetic, inside, rows, first, second, maximum, keep1, take1, keep2, take2, smallest, rate, lower, upper, uniform, largest, dim)
}

export function dot32(a: usize, b: usize, dim: i32): f64 {
  return reduce.dot<f32>(a, b, dim)
}

export function dot64(a: usize, b: usize, dim: i32): f64 {
  return reduce.dot<f64>(a, b, dim)
}
