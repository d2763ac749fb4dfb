/** The same data with numbers that JSON cannot hold as strings: "NaN", "Infinity", "-Infinity", "-0". */
export function jsonSafe(value: unknown): unknown {
  if (typeof value === 'number') {
    if (Object.is(value, -0)) return '-0'
    return Number.isFinite(value) ? value : String(value)
  }
  if (Array.isArray(value)) return value.map(jsonSafe)
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>, jsonSafe)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, jsonSafe(each)]))
}
