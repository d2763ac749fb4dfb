/** Milliseconds since 1970, for the record of when something happened. No result depends on it. */
export function milliseconds(): number {
  // biome-ignore lint/style/noRestrictedGlobals: the one place that asks what time it is.
  return Date.now()
}

/** The time of day, for the record of when a run began. No result depends on it. */
export function now(): string {
  // biome-ignore lint/style/noRestrictedGlobals: formats the time that was asked for above.
  return new Date(milliseconds()).toISOString()
}

/** Milliseconds since 1970 of a time that `now` wrote; NaN where the text is none. */
export function millisecondsAt(time: string): number {
  // biome-ignore lint/style/noRestrictedGlobals: reads a time that was recorded.
  return Date.parse(time)
}
