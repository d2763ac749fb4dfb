import type { Begin, SavedMemory, Search } from '../core/types.ts'
import { stagedSearch } from '../staged/staged-search.ts'
import { type CmaSettings, cmaMethod } from './cma-method.ts'

/** What it is where nothing is said. */
export const usualCma = { restarts: 9, tolerance: 1e-11 } as const

/** A search by CMA-ES, also for methods that hand over to it. */
export function cmaSearch(at: Begin, settings: CmaSettings, saved?: SavedMemory): Search {
  return stagedSearch(at, cmaMethod(at, settings), 'generation', saved)
}
