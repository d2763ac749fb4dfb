import { numberJson } from '../remote/exact-json.ts'

/** Numbers as JSON lists in lists, as long as the sides say. */
export function nestedJson(data: ArrayLike<number>, sides: readonly number[], offset = 0): string {
  const [length = 0, ...inner] = sides
  const size = inner.reduce((product, side) => product * side, 1)
  const entry = (index: number): string => {
    const start = offset + index * size
    return inner.length === 0 ? numberJson(data[start] as number) : nestedJson(data, inner, start)
  }
  return `[${Array.from({ length }, (_, index) => entry(index)).join(',')}]`
}
