/** The time of day, for the record of when a run began. No result depends on it. */
export function now(): string {
  // biome-ignore lint/style/noRestrictedGlobals: the one place that asks what time it is.
  return new Date().toISOString()
}
