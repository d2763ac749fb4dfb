/** A time as people say it: 25 ms, 0.4 s, 3 min 20 s, 2 h 5 min. */
export function millisecondsText(milliseconds: number): string {
  if (milliseconds < 95) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 9950) return `${Number((milliseconds / 1000).toFixed(1))} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3570) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
