import { type Acquisition, type Candidate, isSamePlace, refine, withEntry } from './acquisition.ts'
import { type Domain, isSameCell, squaredDistance } from './domain.ts'
import type { Draws } from './draws.ts'

/** What a proposal has to keep away from. */
export interface Surroundings {
  /** All places that were asked. */
  readonly asked: readonly Float64Array[]
  /** Whether a place may be asked again, because answers vary. */
  readonly mayRepeat: boolean
  /** Places around which nothing is to be found any more, and how near that is. */
  readonly holes: readonly Float64Array[]
  readonly holeRadius: number
}

/** Candidates at random, and around the best points. */
const uniformCount = 100
const nearCount = 100
/** The candidates that are refined, and those of a trust region. */
const refinedCount = 4
const refinedInRegion = 3
const regionCount = 80
/** Random places among which one that was never asked is looked for. */
const lastTries = 200

/** The place where the acquisition is highest, as far as it was found; undefined where all there is was asked. */
export function globalProposal(
  acquisition: Acquisition,
  best: readonly Float64Array[],
  around: Surroundings,
  draws: Draws,
): Float64Array | undefined {
  const { domain } = acquisition.models
  const { mayRepeat } = around
  const isAsked = askedIn(around)
  const candidates = [
    ...Array.from({ length: uniformCount }, () => randomPlace(domain, draws)),
    ...Array.from({ length: nearCount }, () => placeNear(domain, best, draws)),
  ].filter((place) => isOpen(domain, place, around))
  const values = acquisition.values(candidates)
  const order = descending(values)
  const whole = { lower: new Float64Array(domain.dim), upper: new Float64Array(domain.dim).fill(1), isAsked }
  const refined = order
    .slice(0, refinedCount)
    .map((i) => refine(acquisition, { place: candidates[i] as Float64Array, value: values[i] as number }, whole))
    .filter(({ place }) => isOpen(domain, place, around))
  const top = highest(refined.filter(({ place }) => mayRepeat || !isAsked(place)))
  if (top !== undefined) return top.place
  const other = order.find((i) => !isAsked(candidates[i] as Float64Array))
  return other === undefined ? anyPlace(domain, isAsked, draws) : candidates[other]
}

/** The place where the acquisition is highest in a box around a centre; undefined where none is left. */
export function regionProposal(
  acquisition: Acquisition,
  centre: Float64Array,
  reach: Float64Array,
  around: Surroundings,
  draws: Draws,
): Float64Array | undefined {
  const { domain } = acquisition.models
  const { isCategory, dim } = domain
  const isAsked = askedIn(around)
  const lower = centre.map((each, i) => (isCategory[i] === 1 ? 0 : Math.max(each - (reach[i] as number), 0)))
  const upper = centre.map((each, i) => (isCategory[i] === 1 ? 1 : Math.min(each + (reach[i] as number), 1)))
  const share = Math.max(0.3, Math.min(1, 10 / dim))
  const candidates = Array.from({ length: regionCount }, () =>
    domain.snapped(
      centre.map((each, i) => {
        const moved = (lower[i] as number) + ((upper[i] as number) - (lower[i] as number)) * draws.uniform()
        return draws.uniform() < (isCategory[i] === 1 ? 0.2 : 1) * share ? moved : each
      }),
    ),
  ).filter((place) => !isAsked(place))
  const values = acquisition.values(candidates)
  const refined = descending(values)
    .slice(0, refinedInRegion)
    .map((i) =>
      refine(
        acquisition,
        { place: candidates[i] as Float64Array, value: values[i] as number },
        { lower, upper, isAsked },
      ),
    )
  return highest(refined.filter(({ place }) => !isAsked(place)))?.place
}

/** The one of a hundred random places that is furthest from all points: where a model knows nothing. */
export function emptiestPlace(domain: Domain, asked: readonly Float64Array[], draws: Draws): Float64Array {
  const places = Array.from({ length: uniformCount }, () => randomPlace(domain, draws))
  const room = places.map((place) =>
    asked.reduce((least, each) => Math.min(least, squaredDistance(domain, place, each)), Infinity),
  )
  return places[room.reduce((a, each, i) => (each > (room[a] as number) ? i : a), 0)] as Float64Array
}

/** A place at random. */
function randomPlace(domain: Domain, draws: Draws): Float64Array {
  return domain.snapped(Float64Array.from({ length: domain.dim }, () => draws.uniform()))
}

/** A step of some size from one of the best points, along some of the coordinates. */
function placeNear(domain: Domain, best: readonly Float64Array[], draws: Draws): Float64Array {
  const { dim, isCategory } = domain
  const rank = draws.uniform()
  const place = (best[Math.min(Math.floor(rank * rank * best.length), best.length - 1)] as Float64Array).slice()
  const size = draws.byFactors(0.5011872336272722, 0.005011872336272722)
  const share = Math.max(1.5 / dim, Math.min(1, 1.5 * draws.uniform()))
  const always = draws.below(dim)
  for (let i = 0; i < dim; i++) {
    if (!(draws.uniform() < share) && i !== always) continue
    const width = domain.share(i)
    if (isCategory[i] === 1) place[i] = draws.uniform()
    else if (width > 0 && draws.uniform() < 0.5)
      place[i] = (place[i] as number) + (draws.uniform() < 0.5 ? -width : width)
    else place[i] = (place[i] as number) + size * draws.normal()
  }
  return domain.snapped(place)
}

/** Any place that was not asked: at random, then beside those that were. */
function anyPlace(domain: Domain, isAsked: (place: Float64Array) => boolean, draws: Draws): Float64Array | undefined {
  let place: Float64Array | undefined
  for (let tries = 0; tries < lastTries; tries++) {
    place = randomPlace(domain, draws)
    if (!isAsked(place)) return place
  }
  return place && unaskedBeside(domain, place, isAsked)
}

/** The most places that are looked at one by one. */
const mostBeside = 2000

/** A place that was not asked, by steps along discrete coordinates from one that was. */
function unaskedBeside(
  domain: Domain,
  from: Float64Array,
  isAsked: (place: Float64Array) => boolean,
): Float64Array | undefined {
  const seen = [from]
  for (let k = 0; k < seen.length && seen.length < mostBeside; k++) {
    const here = seen[k] as Float64Array
    for (const i of domain.discrete) {
      for (const entry of domain.beside(here, i)) {
        const place = domain.snapped(withEntry(here, i, entry))
        if (!isAsked(place)) return place
        if (!seen.some((each) => isSamePlace(each, place))) seen.push(place)
      }
    }
  }
  return undefined
}

function askedIn({ asked }: Surroundings): (place: Float64Array) => boolean {
  return (place) => asked.some((each) => isSamePlace(each, place))
}

/** Whether a place is in none of the holes. */
function isOpen(domain: Domain, place: Float64Array, { holes, holeRadius }: Surroundings): boolean {
  if (!(holeRadius > 0)) return true
  return holes.every((hole) => {
    if (!isSameCell(domain, hole, place)) return true
    const gaps = Array.from(domain.continuous, (i) => (place[i] as number) - (hole[i] as number))
    return gaps.reduce((all, gap) => all + gap * gap, 0) > holeRadius * holeRadius
  })
}

function descending(values: readonly number[]): number[] {
  return Array.from(values.keys()).sort((a, b) => (values[b] as number) - (values[a] as number) || a - b)
}

function highest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (a, each) => (a === undefined || each.value > a.value ? each : a),
    undefined,
  )
}
