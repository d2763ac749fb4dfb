/** About ten round iterations up to the last one. */
export function iterationPlaces(last: number): number[] {
  const step = last <= 10 ? 1 : roundStep(last / 10.99)
  const places = Array.from({ length: Math.floor(last / step) }, (_, i) => (i + 1) * step)
  const rest = last - (places.at(-1) ?? 0)
  return rest >= step / 2 ? [...places, last] : places
}

/** The smallest of some factors times a power of ten that is not below a number. */
function roundStep(least: number): number {
  const power = Number(`1e${Math.floor(Math.log10(least))}`)
  const factor = [1, 2, 3, 4, 5, 6, 8].find((each) => each * power >= least) ?? 10
  return factor * power
}
