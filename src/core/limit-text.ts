/** The size of a limit: as so many of the 255 steps of a byte where it is that, else in a few digits. */
export function limitText(size: unknown): string {
  const value = Number(size)
  const steps = Math.round(255 * value)
  const isShort = String(value).length < 8
  if (!isShort && steps > 0 && Math.abs(255 * value - steps) < 1e-9) return `${steps}/255`
  return String(Number(value.toPrecision(6)))
}
