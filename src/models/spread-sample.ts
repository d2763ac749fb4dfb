/**
 * Which images to look at where not all can be: as many of each class as of any other, as far as there are so many, and
 * those spread over the whole set. Images without a label are left out.
 */
export function spreadSample(labels: readonly (number | undefined)[], size: number): number[] {
  const all = membersByClass(labels)
  const groups = spread(all, Math.min(size, all.length))
  return fairShares(
    groups.map((group) => group.length),
    size,
  )
    .flatMap((share, i) => spread(groups[i] as number[], share))
    .sort((a, b) => a - b)
}

function membersByClass(labels: readonly (number | undefined)[]): number[][] {
  const groups = new Map<number, number[]>()
  labels.forEach((label, index) => {
    if (label === undefined) return
    const group = groups.get(label) ?? []
    groups.set(label, group)
    group.push(index)
  })
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group)
}

/** Gives each in turn one more, until all are given away or nobody can take more. */
function fairShares(most: readonly number[], size: number): number[] {
  const shares = most.map(() => 0)
  for (let left = size, given = -1; left > 0 && given !== 0; left -= given) {
    given = 0
    most.forEach((limit, i) => {
      if ((shares[i] as number) >= limit || given >= left) return
      shares[i] = (shares[i] as number) + 1
      given++
    })
  }
  return shares
}

function spread<T>(list: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => list[Math.floor(((i + 0.5) * list.length) / count)] as T)
}
