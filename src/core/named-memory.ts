import type { Memory } from './types.ts'

/** What a part remembers, by names that say whose it is. */
export function namedMemory(owner: string, memory: Memory = {}): Memory {
  return Object.fromEntries(Object.entries(memory).map(([name, vector]) => [`${owner}.${name}`, vector]))
}
