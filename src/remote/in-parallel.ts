/** Does pieces of work 0, 1, 2, ... with at most `concurrency` under way; begins no more once the signal fired. */
export async function inParallel(
  count: number,
  concurrency: number,
  work: (piece: number) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count && signal?.aborted !== true) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane))
}
