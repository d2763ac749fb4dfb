/** Does pieces of work 0, 1, 2, ... with at most `concurrency` under way. */
export async function inParallel(
  count: number,
  concurrency: number,
  work: (piece: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane))
}
