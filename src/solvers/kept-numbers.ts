import type { Begin, Vector } from '../core/types.ts'

/** Numbers of a search that survive a checkpoint to the bit, whatever the precision of the run. */
export interface KeptNumbers<Name extends string> {
  /** What goes into the memory of the search. */
  readonly words: Vector
  get(name: Name): number
  set(name: Name, value: number): void
}

/** Words of 16 bits in a number. */
const width = 4

/** Numbers by name, each as four words of 16 bits: float32 holds those exactly, too. */
export function keptNumbers<Name extends string>(
  { kernels, precision }: Begin,
  initial: Readonly<Record<Name, number>>,
): KeptNumbers<Name> {
  const names = Object.keys(initial) as Name[]
  const words = kernels.allocate(width * names.length, precision)
  const bits = new DataView(new ArrayBuffer(8))
  const numbers: KeptNumbers<Name> = {
    words,
    get(name) {
      const first = width * names.indexOf(name)
      for (let i = 0; i < width; i++) bits.setUint16(2 * i, words[first + i] as number)
      return bits.getFloat64(0)
    },
    set(name, value) {
      const first = width * names.indexOf(name)
      bits.setFloat64(0, value)
      for (let i = 0; i < width; i++) words[first + i] = bits.getUint16(2 * i)
    },
  }
  for (const name of names) numbers.set(name, initial[name])
  return numbers
}
