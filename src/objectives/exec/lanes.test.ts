import { expect, test } from 'vitest'
import { lanes } from './lanes.ts'

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('each thing is lent to one at a time, in the order of asking', async () => {
  const lend = lanes(['a', 'b'])
  const inUse = new Set<string>()
  const served: number[] = []
  await Promise.all(
    Array.from({ length: 9 }, (_, i) =>
      lend(async (thing) => {
        expect(inUse.has(thing)).toBe(false)
        inUse.add(thing)
        served.push(i)
        await wait(i % 3)
        inUse.delete(thing)
      }),
    ),
  )
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
})

test('a thing comes back from work that fails', async () => {
  const lend = lanes(['a'])
  await expect(lend(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await lend(async (thing) => thing)).toBe('a')
})
