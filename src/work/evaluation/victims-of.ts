import type { Looked } from '../../attacks/index.ts'

/** The numbers of the images that are attacked. */
export function victimsOf(looked: readonly Looked[]): number[] {
  return looked.filter(({ standing }) => standing === 'attacked').map(({ index }) => index)
}
