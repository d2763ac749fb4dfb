import type { AttackFacts, Vector } from '../core/types.ts'

/** Halvings of the way from a foothold back to the best point so far. */
export const leapHalvings = 8

/** How near a point on the way to another foothold has to be, compared with the best one, to be worth a query. */
export const nearEnough = 0.95

/** The share of the budget after which the way down the slopes gives way to footholds: a given class is harder to reach. */
export function patience(attack: AttackFacts | undefined): number {
  return attack?.targeted === true ? 0.1 : 0.4
}

/**
 * into = the point on the way from another one to a foothold that is as far from the origin as the radius says, or the
 * foothold if that is nearer; false where the way begins further away.
 */
export function wayTo(foothold: Vector, from: Vector, origin: Vector, radius: number, into: Vector): boolean {
  let [squares, product, start] = [0, 0, 0]
  for (let i = 0; i < into.length; i++) {
    const ahead = (foothold[i] as number) - (from[i] as number)
    const away = (from[i] as number) - (origin[i] as number)
    squares += ahead * ahead
    product += ahead * away
    start += away * away
  }
  if (start >= radius * radius || squares === 0) return false
  const share = (Math.sqrt(product * product + squares * (radius * radius - start)) - product) / squares
  for (let i = 0; i < into.length; i++) {
    into[i] = (from[i] as number) + Math.min(1, share) * ((foothold[i] as number) - (from[i] as number))
  }
  return true
}
